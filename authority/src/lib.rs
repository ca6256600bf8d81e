//! A small certificate authority, over the folder that Puppet Server's own has: either can take it over from the other, as
//! long as one of them writes at a time.
//!
//! An [`Authority`] is the whole: it takes requests, signs, revokes, renews, and says what there is. What it may do is its
//! [`Settings`]; where its files are, its [`Layout`]. A new one is made by [`init`], from nothing or from keys and certificates
//! that are given.
//!
//! What it decides is what Puppet Server 7.9.5 decides, and so are its words; where it refuses more, [`requests`] says so.

pub mod authority;
pub mod autosign;
pub mod certificates;
pub mod csr_attributes;
pub mod directory;
pub mod extensions;
pub mod fault;
pub mod init;
pub mod intake;
pub mod issued;
pub mod keys;
pub mod lists;
pub mod names;
pub mod oids;
pub mod pem;
pub mod requests;
pub mod settings;
pub mod statuses;
pub mod times;

pub use authority::Authority;
pub use directory::Layout;
pub use fault::Fault;
pub use settings::Settings;
