//! Classes of Ruby's and Puppet's libraries that are written in Ruby here. A file of them is run when code first names one
//! of its constants, or asks the scope for what is in it. Their way to the compile is `Bunraku.ask`, whose questions are
//! those of the protocol of the Ruby worker (`runtime/ruby/src/protocol.rs`): so the worker runs some of these files, too.

mod kept;

use crate::erb::lowered::Lowered;
use std::path::Path;
use std::sync::LazyLock;

/// A file of such classes.
pub(crate) struct Part {
    file: &'static str,
    /// The constants that it defines, as far as code may name them.
    constants: &'static [&'static str],
    lowered: &'static LazyLock<Lowered>,
}

macro_rules! parts {
    ($($name:ident = $file:literal: $($constant:literal)*;)*) => {
        $(static $name: LazyLock<Lowered> = LazyLock::new(|| {
            kept::part($file).unwrap_or_else(|| Lowered::of_ruby(include_bytes!($file)))
        });)*
        static PARTS: &[Part] = &[$(
            Part { file: concat!("<bunraku>/prelude/", $file), constants: &[$($constant),*], lowered: &$name },
        )*];
        /// The files with their texts.
        const SOURCES: &[(&str, &str)] = &[$(($file, include_str!($file)),)*];
    };
}

parts! {
    CATALOG_PART = "catalog.rb": "Puppet::Resource" "Puppet::Resource::Type" "Puppet::Module" "Puppet::Parser::Resource"
        "Puppet::Parser::Catalog" "Puppet::Parser::KnownTypes" "Puppet::Parser::CompilerView"
        "Puppet::Node::Environment" "Puppet::Pops::Evaluator::Runtime3ResourceSupport";
    TYPES_PART = "types.rb": "Puppet::Pops::Types::TypeParser" "Puppet::Pops::Types::TypeCalculator"
        "Puppet::Pops::Types::TypeMismatchDescriber" "Puppet::Pops::Serialization::ToDataConverter";
    SET_PART = "set.rb": "Set";
    STRINGIO_PART = "stringio.rb": "StringIO";
    VERSION_PART = "version.rb": "Gem::Version";
    SEMANTIC_PART = "semantic.rb": "SemanticPuppet::Version" "SemanticPuppet::VersionRange";
    PATHNAME_PART = "pathname.rb": "Pathname";
    URI_PART = "uri.rb": "URI::Generic" "URI::HTTP" "URI::HTTPS";
    OPENSSL_PART = "openssl.rb": "OpenSSL::Digest" "OpenSSL::HMAC" "OpenSSL::KDF" "OpenSSL::PKCS5" "Bunraku::RunningDigest";
    HOCON_PART = "hocon.rb": "Hocon" "Hocon::ConfigError" "Hocon::ConfigFactory";
    FILE_SYSTEM_PART = "file_system.rb": "Puppet::FileSystem";
    SCOPE_PART = "scope_methods.rb": "Bunraku::ScopeMethods" "Puppet::Parser::Files";
}

/// Resources and the catalog, as the worker runs them, too.
pub const CATALOG: &str = include_str!("catalog.rb");
/// Methods of scopes, likewise.
pub const SCOPE_METHODS: &str = include_str!("scope_methods.rb");
/// The module that [`SCOPE_METHODS`] defines.
pub(crate) const OF_SCOPE: &str = "Bunraku::ScopeMethods";

impl Part {
    /// The part that defines a constant.
    pub fn of(constant: &str) -> Option<&'static Part> {
        // Nearly all names that are asked for are others.
        if !matches!(constant.as_bytes().first(), Some(b'B' | b'G' | b'H' | b'O' | b'P' | b'S' | b'U')) {
            return None;
        }
        PARTS.iter().find(|part| part.constants.contains(&constant))
    }

    /// What its file is called, among those that have been loaded.
    pub fn file(&self) -> &'static Path {
        Path::new(self.file)
    }

    /// The file as it is run: as it was lowered when this was built, else lowered now.
    pub fn lowered(&self) -> &'static Lowered {
        self.lowered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_known_as_a_whole() {
        for part in PARTS {
            let lowered = part.lowered();
            assert!(lowered.reasons().is_empty(), "{}: {:?}", part.file, lowered.reasons());
        }
    }
}
