//! Modules and classes that come with Ruby and with Puppet: their own methods, as far as they are known here.

pub(crate) mod addresses;
mod compile;
mod core;
mod digests;
mod escapes;
mod files;
pub(crate) mod json;
mod openssl;
mod puppet;
pub(crate) mod random;
mod random_drawn;
mod secure_random;
mod tree_files;
mod uri;
mod versions;
mod yaml;

use crate::eval::{Done, Run};
use crate::method::Method;
use crate::methods;
use crate::tree::Block;
use crate::value::address::{INET, INET6};
use crate::value::{Class, V};
pub(crate) use addresses::method as of_address;
pub(crate) use random::{of_items as random_of_items, of_ruby as random_of_ruby};
pub(crate) use random_drawn::method as of_random;

/// Calls a method of a class or module itself, as it stands in a line; none for what is not known.
pub(crate) fn call<'c>(
    run: &mut Run<'_, 'c>,
    class: Class,
    name: &str,
    args: &[V<'c>],
    (block, line): (Option<&'c Block>, usize),
) -> Done<'c, Option<V<'c>>> {
    match class {
        Class::Puppet
        | Class::PuppetSettings
        | Class::Sensitive
        | Class::PuppetStack
        | Class::ParserFunctions
        | Class::FunctionsLoader
        | Class::Env => puppet::call(run, class, name, args, (block, line)),
        Class::Dispatcher if name == "dispatch" => run.dispatch(args).map(Some),
        Class::GlobalScope => methods::of_top_scope(run, name, args).map(Some),
        Class::ResolvIpv6 => Ok(run.prepended(class, name, args)?),
        Class::Bunraku | Class::CompileOfBunraku => compile::call(run, name, args),
        Class::File => match files::call(name, args)? {
            Some(value) => Ok(Some(value)),
            None => tree_files::call(run, name, args),
        },
        Class::DigestMd5
        | Class::DigestSha1
        | Class::DigestSha256
        | Class::DigestSha384
        | Class::DigestSha512
            if name == "new" && args.is_empty() && block.is_none() =>
        {
            run.running_digest(class).map(Some)
        }
        Class::DigestMd5
        | Class::DigestSha1
        | Class::DigestSha256
        | Class::DigestSha384
        | Class::DigestSha512 => Ok(digests::digest(class, name, args)?),
        Class::IpAddr => addresses::call(name, args),
        Class::Binary => Ok(digests::binary(run, name, args)),
        Class::Base64 => digests::base64(name, args),
        Class::Zlib => Ok(digests::zlib(name, args)?),
        Class::Cgi => Ok(escapes::cgi(name, args)?),
        Class::ErbUtil => Ok(escapes::call(name, args)?),
        Class::Uri if name == "parse" => run.parse_uri(args).map(Some),
        Class::Uri => Ok(escapes::uri(name, args)?),
        Class::Shellwords => Ok(escapes::shell(name, args)?),
        Class::Json => json::call(run, name, args),
        Class::Pson | Class::PuppetUtilJson => json::of_puppet(run, class, name, args),
        Class::Random | Class::Kernel if matches!(name, "rand" | "srand") && block.is_none() => {
            random::of_ruby(run, class, name, args)
        }
        Class::Random if matches!(name, "bytes" | "seed" | "new_seed") && block.is_none() => {
            random::of_ruby(run, class, name, args)
        }
        Class::Kernel => match (name, block) {
            ("sprintf", None) => methods::function(run, Method::Sprintf, args, None).map(Some),
            ("format", None) => methods::function(run, Method::Format, args, None).map(Some),
            _ => Ok(None),
        },
        Class::OfClasses if name == "new" => run.new_class(args, block).map(Some),
        Class::Random if name == "new" => Ok(random::new(run, args)?),
        Class::SecureRandom if block.is_none() => Ok(secure_random::call(run, name, args)?),
        Class::UriParser => Ok(escapes::uri_parser(name, args)?),
        Class::Yaml if matches!(name, "dump") => match args {
            [value] => methods::call(run, value.clone(), Method::ToYaml, &[], None).map(Some),
            _ => Ok(None),
        },
        Class::Yaml => yaml::call(run, name, args),
        Class::PuppetUtil if name == "absolute_path?" => Ok(files::is_absolute(run, args)?),
        Class::PuppetUtil => Ok(random::of_puppet(name, args)?),
        Class::PuppetUtilPackage => versions::package(run, name, args),
        Class::Array
        | Class::Hash
        | Class::String
        | Class::Regexp
        | Class::Math
        | Class::Integer
        | Class::Proc => core::call(run, class, name, args, block),
        _ => Ok(None),
    }
}

/// Whether a class or module has a method of its own that is known here.
pub(crate) fn has(class: Class, name: &str) -> bool {
    matches!(
        (class, name),
        (Class::PuppetStack, "stacktrace")
            | (Class::PuppetUtil, "absolute_path?" | "deterministic_rand" | "deterministic_rand_int")
    )
}

/// The value of a constant that is no class or module.
pub(crate) fn constant<'c>(name: &str) -> Option<V<'c>> {
    Some(match name {
        "URI::DEFAULT_PARSER" => V::Class(Class::UriParser),
        "Socket::AF_INET" => V::Int(INET),
        "Socket::AF_INET6" => V::Int(INET6),
        "Float::INFINITY" => V::Float(f64::INFINITY),
        "Float::NAN" => V::Float(f64::NAN),
        "File::SEPARATOR" | "File::Separator" => V::Str("/"),
        "File::ALT_SEPARATOR" => V::Nil,
        "File::PATH_SEPARATOR" => V::Str(":"),
        "Regexp::IGNORECASE" => V::Int(1),
        "Regexp::EXTENDED" => V::Int(2),
        "Regexp::MULTILINE" => V::Int(4),
        "Float::EPSILON" => V::Float(f64::EPSILON),
        "Float::MAX" => V::Float(f64::MAX),
        "Float::MIN" => V::Float(f64::MIN_POSITIVE),
        "Math::PI" => V::Float(std::f64::consts::PI),
        "Math::E" => V::Float(std::f64::consts::E),
        _ => return None,
    })
}
