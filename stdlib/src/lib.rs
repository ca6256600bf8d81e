//! The functions the Puppet language comes with.
