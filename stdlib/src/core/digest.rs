//! Digests, and numbers that are random but the same for a node: `fqdn_rand`.

use super::collection::joined;
use super::random::Random;
use crate::support::{is_reference, legacy, no_conversion, text};
use bunraku_vm::cause::Cause;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format::to_ruby_s;
use bunraku_vm::function::Call;
use bunraku_vm::symbol::known;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use md5::Md5;
use sha1::Sha1;
use sha2::digest::Digest;
use sha2::{Sha224, Sha256, Sha384, Sha512};

natives! {
    /// The MD5 digest of a text, in hexadecimal.
    function "md5" { dispatch md5_hex(repeated_param "Any" p0) [optional_block_param]; }
    /// The SHA-1 digest of a text, in hexadecimal.
    function "sha1" { dispatch sha1_hex(repeated_param "Any" p0) [optional_block_param]; }
    /// The SHA-256 digest of a text, in hexadecimal.
    function "sha256" { dispatch sha256_hex(repeated_param "Any" p0) [optional_block_param]; }
    /// The digest of a text by the algorithm of the setting `digest_algorithm`.
    function "digest" { dispatch digest(repeated_param "Any" p0) [optional_block_param]; }
    /// A number below the first argument that depends on the node's name and the seed only.
    function "fqdn_rand" { dispatch fqdn_rand(repeated_param "Any" p0) [optional_block_param]; }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The single argument of a digest function.
fn subject<'c>(vm: &Vm<'c>, name: &str, call: &Call<'c, '_>) -> Eval<'c, &'c str> {
    let args = legacy(vm, name, call.args, 1, Some(1))?;
    match args[0] {
        _ if is_reference(call.args[0]) => Err(no_conversion(call.args[0], "String")),
        Value::Str(text) => Ok(text.as_str()),
        other => Err(no_conversion(other, "String")),
    }
}

fn md5_hex<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let subject = subject(vm, "md5", &call)?;
    Ok(vm.string(&hex(&Md5::digest(subject))))
}

fn sha1_hex<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let subject = subject(vm, "sha1", &call)?;
    Ok(vm.string(&hex(&Sha1::digest(subject))))
}

fn sha256_hex<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let subject = subject(vm, "sha256", &call)?;
    Ok(vm.string(&hex(&Sha256::digest(subject))))
}

fn digest<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let subject = subject(vm, "digest", &call)?;
    let algorithm = text(vm.host.setting("digest_algorithm"));
    let result = match algorithm {
        "md5" => hex(&Md5::digest(subject)),
        "sha1" => hex(&Sha1::digest(subject)),
        "sha224" => hex(&Sha224::digest(subject)),
        "sha384" => hex(&Sha384::digest(subject)),
        "sha512" => hex(&Sha512::digest(subject)),
        _ => hex(&Sha256::digest(subject)),
    };
    Ok(vm.string(&result))
}

/// Ruby's `to_i`: leading digits count, anything else is zero.
fn lenient_integer(value: Value<'_>) -> i64 {
    match value {
        Value::Int(n) => n,
        Value::Float(f) => f as i64,
        Value::Str(text) => {
            let text = text.trim_start();
            let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
            let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            let n = digits[..end].parse().unwrap_or(0);
            if text.starts_with('-') { -n } else { n }
        }
        _ => 0,
    }
}

fn fqdn_rand<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let args = legacy(vm, "fqdn_rand", call.args, 1, None)?;
    let most = lenient_integer(args[0]);
    let fqdn = match call.scope.look().lookup(known::FACTS) {
        Some(Value::Hash(facts)) => match facts.get_str("networking") {
            Some(Value::Hash(networking)) => networking.get_str("fqdn").unwrap_or(Value::Undef),
            _ => Value::Undef,
        },
        _ => Value::Undef,
    };
    if fqdn.is_undef() && args.get(2).is_some_and(|downcase| downcase.truthy()) {
        let message = "undefined method `downcase' for nil:NilClass";
        return Err(Flow::caused(Cause::UndefinedMethod, message));
    }
    let mut fqdn = to_ruby_s(fqdn);
    if args.get(2).is_some_and(|downcase| downcase.truthy()) {
        fqdn = fqdn.to_lowercase();
    }
    let seed = match args.get(1) {
        Some(Value::Array(items)) => joined(*items, ":"),
        seed => seed.copied().map_or(String::new(), to_ruby_s),
    };
    let digest = Md5::digest(format!("{fqdn}:{most}:{seed}"));
    match u64::try_from(most) {
        Ok(most) if most > 0 => Ok(Value::Int(Random::new(&digest).below(most) as i64)),
        _ => Err(Flow::raw(format!("invalid argument - {most}"))),
    }
}
