//! What running code sees of the compile: the ports of the machine's [`Host`](bunraku_vm::host::Host), a file each;
//! every question
//! is passed on to where it is answered. [`observer`] counts calls.

mod catalog;
mod classes;
mod files;
mod formats;
mod functions;
mod log;
mod lookups;
mod observer;
mod resources;
mod settings;
mod templates;
mod types;
