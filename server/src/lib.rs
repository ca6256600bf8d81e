//! A compile server that real agents talk to, for programs that know the library only. Connections and TLS are asynchronous and
//! end at [`exchange`]: what answers a request is a plain function of a [`exchange::Request`], run on a thread.
//!
//! [`server::Server`] is the whole: it listens ([`server`]), begins TLS ([`tls`]), reads a request and finds its route
//! ([`connection`], [`routes`]), asks the rules whether it may be asked ([`authorization`]), hands it to a lane of threads
//! ([`lanes`]), where a [`site::Site`] answers it.

pub mod access;
pub mod administration;
pub mod answer_cache;
mod answers;
pub mod authority;
pub mod authorization;
mod below;
pub mod bodies;
pub mod bucket;
pub mod catalog;
pub mod catalog4;
pub mod certificates;
pub mod check;
pub mod classes;
pub mod commands;
pub mod connection;
pub mod environments;
pub mod exchange;
pub mod facts;
pub mod files;
pub mod forget;
pub mod formats;
pub mod gate;
pub mod identity;
pub mod lanes;
pub mod listings;
pub mod metrics;
pub mod node;
pub mod notices;
pub mod oids;
mod ordered;
pub mod parameters;
pub mod plans;
pub mod reports;
pub mod routes;
pub mod server;
pub mod site;
pub mod states;
pub mod tagged;
pub mod tasks;
#[cfg(test)]
mod testing;
pub mod tls;
pub mod versions;
pub mod weight;
