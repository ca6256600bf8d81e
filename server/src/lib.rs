//! A compile server that real agents talk to, for programs that know the library only. Connections and TLS are asynchronous and
//! end at [`exchange`]: what answers a request is a plain function of a [`exchange::Request`], run on a thread.

pub mod bucket;
pub mod commands;
pub mod environments;
pub mod exchange;
pub mod facts;
pub mod files;
pub mod formats;
pub mod notices;
pub mod parameters;
pub mod reports;
#[cfg(test)]
mod testing;
