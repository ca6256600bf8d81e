//! What the server answers besides catalogs is what Puppet's own handlers answer to the same requests, over the same trees:
//! status, media type, and the body key by key.

mod bucket;
mod commands;
mod exchange;
mod facts;
mod files;
mod processors;
mod reports;
mod static_catalog;
