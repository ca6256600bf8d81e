//! Backends: the functions that entries of a hierarchy name, and the data that they give. [`data_hash`] gives the data
//! of a file or of a function all at once; [`call`] calls a function; [`eyaml`] is the backend of hiera-eyaml, and
//! [`pkcs7`] opens what that finds encrypted; [`for_code`] is what code gets that calls them; [`context`] is what functions are given to talk to Hiera;
//! [`kept_answers`] is what they have answered, and
//! [`without_call`] says so again; so does [`key_hashes`] within a compile, of those that do little with their keys.

pub(crate) mod call;
pub mod context;
pub(crate) mod context_objects;
pub(crate) mod data_hash;
mod eyaml;
mod for_code;
pub(crate) mod kept_answers;
mod key_hashes;
pub(crate) mod location_cache;
mod pkcs7;
mod without_call;
