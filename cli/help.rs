//! The first page of help: the commands in groups, by what people want of them, and how one begins.
//!
//! It is a text and no template that is filled, since every run of a command would pay for that; a test holds it
//! against the commands there are, and to the size of a screen.

/// What `bunraku`, `bunraku --help` and `bunraku help` print.
pub const PAGE: &str = "\
Compiles the Puppet language: the catalogs of Puppet and OpenVox, in milliseconds.

Usage: bunraku COMMAND [OPTIONS]

Compile
  compile      a node's catalog, as JSON
  lookup       a value of Hiera, and how it came about
  eval         the value of some code
  build        an archive of a whole tree, from which compiles start at once
  inspect      what an archive holds, bytecode beside its source
Check a change
  check        syntax and static errors, as text, JSON or SARIF
  diff         what a change does to all nodes
  affected     which nodes a change can touch, and why
  upgrade      what a newer Puppet would break or change, and where
Explain
  why          why something is in a catalog, who set a parameter
  why-not      why something is not in a catalog: conditions, values
  graph        a catalog as a picture: containment, order, cycles
  config       Puppet's settings in force, and where each is set
  doctor       what this machine lacks, and what would not work for it
Whole fleets
  facts        the facts of all nodes in one file
  fleet        all nodes compiled, the same errors told once
  unused       what of a tree no node uses, and how certain that is
  coverage     what of a tree all nodes' compiles run and read
  profile      where the time of all nodes' compiles goes
Serve agents
  server       catalogs, files and reports, in the place of Puppet Server
  ca           a small certificate authority
  node         forgets nodes that are gone, here and in PuppetDB
Fit in
  face         links by which this command is `puppet`
  batch        JSON jobs in, JSON results out, a line each
  bench        how long compiles take
  completions  for bash, zsh and fish; man pages

Examples
  bunraku compile --environment . web01.example.com
  bunraku check manifests modules
  bunraku diff --from git:main --to . --facts fleet.facts

`bunraku COMMAND --help` tells the rest. Exit status: 0 where all is well, 1 where
errors were found, 2 where the arguments are wrong.
";
