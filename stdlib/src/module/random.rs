//! puppetlabs-stdlib: numbers and orders that are random, most of them the same for the same seed; passwords.

use super::is::looks_like_integer;
use super::ruby::{class, flatten, to_i, to_s};
use crate::core::random::Random;
use crate::support::text;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::Call;
use bunraku_vm::raised::ARGUMENT_ERROR;
use bunraku_vm::value::{HashBuilder, Value};
use bunraku_vm::vm::Vm;
use md5::Md5;
use sha1::Sha1;
use sha2::digest::Digest;
use sha2::{Sha256, Sha512};
use std::hash::{BuildHasher, Hasher};

natives! {
    /// A text of random characters that depends on the seed only.
    function "seeded_rand_string" {
        dispatch seeded_rand_string(
            param "Integer[1]" length, param "String" seed, optional_param "String[2]" charset);
    }
    /// A text of random characters that depends on the seed only.
    function "stdlib::seeded_rand_string" {
        dispatch seeded_rand_string(
            param "Integer[1]" length, param "String" seed, optional_param "String[2]" charset);
    }
    /// A number below another that depends on the seed only.
    function "stdlib::seeded_rand" {
        dispatch stdlib_seeded_rand(param "Integer[1]" max, param "String" seed) -> "Integer";
    }
    /// A text of random characters that depends on the node's name and the seed.
    function "stdlib::fqdn_rand_string" {
        dispatch stdlib_fqdn_rand_string(
            param "Integer[1]" length, optional_param "Optional[String]" charset, repeated_param "Any" seed);
    }
    /// The CRC-32 checksum of a value's text.
    function "stdlib::crc32" {
        dispatch crc32(param "Variant[ScalarData, Sensitive[ScalarData], Binary, Sensitive[Binary]]" my_data)
            -> "String";
    }
    /// The SHA-256 digest of a value's text.
    function "stdlib::sha256" {
        dispatch stdlib_sha256(param "Variant[ScalarData, Sensitive[ScalarData], Binary, Sensitive[Binary]]" my_data)
            -> "String";
    }
}

old_functions! {
    /// A number below another that depends on the seed only.
    "seeded_rand" seeded_rand (2, 2);
    /// A text of random characters that depends on the node's name and the seed.
    "fqdn_rand_string" fqdn_rand_string (1);
    /// An array or text rotated by a number that depends on the node's name and the seed.
    "fqdn_rotate" fqdn_rotate;
    /// A UUID that depends on a name only.
    "fqdn_uuid" fqdn_uuid;
    /// An array or text in random order.
    "shuffle" shuffle;
    /// A salted SHA-512 digest as macOS keeps passwords.
    "str2saltedsha512" str2saltedsha512;
    /// A salted PBKDF2 digest as macOS keeps passwords.
    "str2saltedpbkdf2" str2saltedpbkdf2;
    /// A password hash as `crypt` makes it.
    "pw_hash" pw_hash (3, 3);
}

const ALPHANUMERIC: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The class `Array`, `String`, … of an argument that must be an array or a text.
fn array_or_text<'c>(name: &str, call: &Call<'c, '_>) -> Eval<'c> {
    match call.args.first() {
        None => Err(Flow::raw(format!("{name}(): Wrong number of arguments given (0 for 1)"))),
        Some(value @ (Value::Array(_) | Value::Str(_))) => Ok(*value),
        Some(_) => Err(Flow::raw(format!("{name}(): Requires either array or string to work with"))),
    }
}

/// An array or text with its elements or characters put into another order.
fn reordered<'c>(vm: &Vm<'c>, value: Value<'c>, order: impl FnOnce(usize) -> Vec<usize>) -> Value<'c> {
    match value {
        Value::Array(items) if items.len() > 1 => {
            let items: Vec<_> = order(items.len()).into_iter().map(|n| items[n]).collect();
            vm.array(&items)
        }
        Value::Str(text) if text.chars().count() > 1 => {
            let chars: Vec<char> = text.chars().collect();
            let text: String = order(chars.len()).into_iter().map(|n| chars[n]).collect();
            vm.string(&text)
        }
        other => other,
    }
}

fn seeded_rand<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let most = if looks_like_integer(call.args[0]) { to_i(call.args[0])? } else { 0 };
    let Some(most) = u64::try_from(most).ok().filter(|most| *most > 0) else {
        return Err(Flow::of_class(
            ARGUMENT_ERROR,
            "seeded_rand(): first argument must be a positive integer",
        ));
    };
    let Value::Str(seed) = call.args[1] else {
        return Err(Flow::of_class(ARGUMENT_ERROR, "seeded_rand(): second argument must be a string"));
    };
    Ok(Value::Int(Random::new(&Md5::digest(seed.as_str())).below(most) as i64))
}

fn stdlib_seeded_rand<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    seeded_rand(vm, call)
}

fn seeded_rand_string<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let length = to_i(call.args[0])?;
    let charset = match call.arg(2) {
        Some(Value::Str(charset)) => charset.as_str(),
        _ => "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    };
    let charset: Vec<char> = charset.chars().collect();
    let mut random = Random::new(&Sha256::digest(text(call.arg(1))));
    let result: String = (0..length).map(|_| charset[random.below(charset.len() as u64) as usize]).collect();
    Ok(vm.string(&result))
}

/// A text of random characters, each drawn by `fqdn_rand` with the seed and its number.
fn drawn<'c>(
    vm: &mut Vm<'c>,
    call: &Call<'c, '_>,
    length: i64,
    charset: &str,
    seed: &[Value<'c>],
) -> Eval<'c> {
    let charset: Vec<char> = if charset.is_empty() { ALPHANUMERIC } else { charset }.chars().collect();
    let seed: Vec<String> = flatten(seed).into_iter().map(to_s).collect();
    let mut result = String::new();
    for n in 1..=length {
        let mut seed = seed.clone();
        seed.push(n.to_string());
        let args = [Value::Int(charset.len() as i64), vm.string(&seed.join(":"))];
        let at = to_i(vm.call_function("fqdn_rand", &args, None, call.scope)?)?;
        result.push(charset[at as usize]);
    }
    Ok(vm.string(&result))
}

fn fqdn_rand_string<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let length = if looks_like_integer(call.args[0]) { to_i(call.args[0])? } else { 0 };
    if length <= 0 {
        return Err(Flow::of_class(
            ARGUMENT_ERROR,
            "fqdn_rand_string(): first argument must be a positive integer",
        ));
    }
    let charset = match call.arg(1) {
        None | Some(Value::Undef) => "",
        Some(Value::Str(charset)) => charset.as_str(),
        Some(_) => {
            return Err(Flow::of_class(
                ARGUMENT_ERROR,
                "fqdn_rand_string(): second argument must be undef or a string",
            ));
        }
    };
    drawn(vm, &call, length, charset, call.args.get(2..).unwrap_or(&[]))
}

fn stdlib_fqdn_rand_string<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let length = to_i(call.args[0])?;
    drawn(vm, &call, length, text(call.arg(1)), call.args.get(2..).unwrap_or(&[]))
}

fn fqdn_rotate<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let value = array_or_text("fqdn_rotate", &call)?;
    if matches!(value, Value::Array(items) if items.len() <= 1) {
        return Ok(value);
    }
    if matches!(value, Value::Str(text) if text.chars().count() <= 1) {
        return Ok(value);
    }
    let fqdn = vm.host.variable(vm, call.scope.look(), "::fqdn")?;
    let mut seed = vec![to_s(fqdn)];
    seed.extend(flatten(&call.args[1..]).into_iter().map(to_s));
    // An empty list of seeds still puts its colon.
    let seed = if seed.len() == 1 { format!("{}:", seed[0]) } else { seed.join(":") };
    let digest = Md5::digest(seed);
    Ok(reordered(vm, value, |count| {
        let offset = Random::new(&digest).below(count as u64) as usize;
        (0..count).map(|n| (n + offset) % count).collect()
    }))
}

fn fqdn_uuid<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let name = match call.args {
        [] => return Err(Flow::of_class(ARGUMENT_ERROR, "fqdn_uuid: No arguments given")),
        [Value::Str(name)] => name.as_str(),
        [other] => return Err(super::ruby::no_conversion(*other, "String")),
        more => {
            return Err(Flow::of_class(
                ARGUMENT_ERROR,
                format!("fqdn_uuid: Too many arguments given ({})", more.len()),
            ));
        }
    };
    const DNS: [u8; 16] =
        [0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8];
    let mut bytes: Vec<u8> = Sha1::new().chain_update(DNS).chain_update(name).finalize()[..16].to_vec();
    bytes[6] = bytes[6] & 0x0f | 0x50;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let text = hex(&bytes);
    let parts = [&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]];
    Ok(vm.string(&parts.join("-")))
}

/// A generator that nobody can foresee.
fn unseeded() -> Random {
    let word = || std::collections::hash_map::RandomState::new().build_hasher().finish().to_be_bytes();
    Random::new(&[word(), word()].concat())
}

fn shuffle<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let value = array_or_text("shuffle", &call)?;
    Ok(reordered(vm, value, |count| {
        let mut random = unseeded();
        let mut order: Vec<usize> = (0..count).collect();
        for n in 0..count {
            order.swap(n, n + random.below((count - n) as u64) as usize);
        }
        order
    }))
}

fn str2saltedsha512<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let [password] = call.args else {
        let count = call.args.len();
        return Err(Flow::raw(format!(
            "str2saltedsha512(): Wrong number of arguments passed ({count} but we require 1)"
        )));
    };
    let Value::Str(password) = password else {
        let class = class(*password);
        return Err(Flow::raw(format!(
            "str2saltedsha512(): Requires a String argument, you passed: {class}"
        )));
    };
    let salt = (unseeded().below((1 << 31) - 1) as u32).to_le_bytes();
    let digest = Sha512::new().chain_update(salt).chain_update(password.as_str()).finalize();
    Ok(vm.string(&format!("{}{}", hex(&salt), hex(&digest))))
}

/// The value itself, of something Sensitive what is in it.
fn unwrapped(value: Value<'_>) -> Value<'_> {
    match value {
        Value::Sensitive(inner) => *inner,
        other => other,
    }
}

fn str2saltedpbkdf2<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let fail = |why: &str| Err(Flow::of_class(ARGUMENT_ERROR, format!("str2saltedpbkdf2(): {why}")));
    let args: Vec<_> = call.args.iter().map(|arg| unwrapped(*arg)).collect();
    let [password, salt, iterations] = args[..] else {
        return fail(&format!("wrong number of arguments ({} for 3)", args.len()));
    };
    let Value::Str(password) = password else { return fail("first argument must be a string") };
    let Value::Str(salt) = salt else { return fail("second argument must be a string") };
    if salt.len() < 8 {
        return fail("second argument must be at least 8 bytes long");
    }
    let Value::Int(iterations) = iterations else { return fail("third argument must be an integer") };
    if !(40_001..70_000).contains(&iterations) {
        return fail("third argument must be between 40,000 and 70,000");
    }
    let mut key = [0u8; 128];
    pbkdf2::pbkdf2_hmac::<Sha512>(password.as_bytes(), salt.as_bytes(), iterations as u32, &mut key);
    let mut result = HashBuilder::new(vm.arena);
    result.insert_str("password_hex", vm.string(&hex(&key)));
    result.insert_str("salt_hex", vm.string(&hex(salt.as_bytes())));
    result.insert_str("iterations", Value::Int(iterations));
    Ok(Value::Hash(result.finish()))
}

fn pw_hash<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let fail = |why: &str| Err(Flow::of_class(ARGUMENT_ERROR, format!("pw_hash(): {why}")));
    let args: Vec<_> = call.args.iter().map(|arg| unwrapped(*arg)).collect();
    let password = match args[0] {
        Value::Str(password) => password.as_str(),
        Value::Undef => "",
        _ => return fail("first argument must be a string"),
    };
    let Value::Str(kind) = args[1] else { return fail("second argument must be a string") };
    let kind = kind.as_str();
    let lower = kind.to_lowercase();
    let Some(crypt) = super::crypt::Crypt::named(&lower) else {
        return fail(&format!("{kind} is not a valid hash type"));
    };
    let Value::Str(salt) = args[2] else { return fail("third argument must be a string") };
    if salt.is_empty() {
        return fail("third argument must not be empty");
    }
    if !super::ruby::matches(crypt.salt_pattern(), &salt) {
        return fail(&format!("characters in salt must {}", crypt.salt_rule()));
    }
    if password.is_empty() {
        return Ok(Value::Undef);
    }
    let hashed = crypt
        .hash(password, &salt)
        .map_err(|why| Flow::of_class(ARGUMENT_ERROR, format!("Invalid argument - crypt{why}")))?;
    // What Ruby's `crypt` gives has no encoding.
    Ok(Value::Str(vm.host.string_of_bytes(vm, hashed.as_bytes())))
}

/// The text of a value, Sensitive or not.
fn subject(value: Value<'_>) -> String {
    to_s(unwrapped(value))
}

fn crc32<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let mut sum = u32::MAX;
    for byte in subject(call.args[0]).bytes() {
        sum ^= u32::from(byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
        }
    }
    Ok(vm.string(&format!("{:x}", !sum)))
}

fn stdlib_sha256<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(vm.string(&hex(&Sha256::digest(subject(call.args[0])))))
}
