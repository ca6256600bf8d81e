//! The `bunraku` command.

fn main() {}
