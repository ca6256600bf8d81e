//! What the whole-program tests share: the oracle, the corpus, the spec pages.
//!
//! Real Puppet and Bunraku speak the same line protocol (`batch`), so [`worker`] drives both;
//! [`canonical`] brings their results to one form, [`compare`] says where two of them part.

pub mod authority;
pub mod book;
pub mod bunraku;
pub mod ca;
pub mod canonical;
pub mod certificates;
pub mod clock;
pub mod compare;
pub mod control_repo;
pub mod corpus;
pub mod differential;
pub mod engine_site;
pub mod face_site;
pub mod foreign;
pub mod golden;
pub mod hiera_repo;
pub mod http;
pub mod nats;
pub mod oracle;
pub mod paths;
pub mod programs;
pub mod puppetdb;
pub mod recorded;
pub mod repository;
pub mod ruby_native;
pub mod s3;
pub mod slapd;
pub mod slurm;
pub mod small_disk;
pub mod spec;
pub mod types;
pub mod used;
pub mod varied;
pub mod worker;
