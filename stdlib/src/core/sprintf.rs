//! `sprintf` and `shellquote`.

use crate::support::{legacy, no_conversion};
use bunraku_vm::cause::Cause;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format::{inspect, sprintf as format, to_ruby_s};
use bunraku_vm::function::Call;
use bunraku_vm::label;
use bunraku_vm::value::Value;
use bunraku_vm::value::flatten;
use bunraku_vm::vm::Vm;

natives! {
    /// Formats values as C's and Ruby's function of that name does.
    function "sprintf" { dispatch sprintf(repeated_param "Any" p0) [optional_block_param]; }
    /// Its arguments, quoted for a shell where they need it.
    function "shellquote" { dispatch shellquote(repeated_param "Any" p0) [optional_block_param]; }
}

fn sprintf<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let args = legacy(vm, "sprintf", call.args, 1, None)?;
    let template = match args[0] {
        Value::Str(text) => text.as_str(),
        Value::Undef => "",
        other => return Err(no_conversion(other, "String")),
    };
    let result = format(template, &args[1..]).map_err(Flow::of_method)?;
    Ok(vm.string(&result))
}

fn shellquote<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    const DANGEROUS: [char; 5] = ['!', '"', '`', '$', '\\'];
    let args = legacy(vm, "shellquote", call.args, 0, None)?;
    let mut words = Vec::new();
    flatten(&args, &mut words);
    let safe = |c: char| c.is_ascii_alphanumeric() || "@%_+=:,./-".contains(c);
    if let Some(hash) = words.iter().find(|word| matches!(word, Value::Hash(_))) {
        return Err(no_conversion(*hash, "String"));
    }
    if let Some(word) = words.iter().find(|word| !matches!(word, Value::Str(_))) {
        let class = label::ruby_class(*word);
        let method = if matches!(word, Value::Default) { "count" } else { "length" };
        let message = format!("undefined method `{method}' for {}:{class}", inspect(*word));
        return Err(Flow::caused(Cause::UndefinedMethod, message));
    }
    let quoted: Vec<String> = words
        .into_iter()
        .map(|word| {
            let word = to_ruby_s(word);
            if !word.is_empty() && word.chars().all(safe) {
                word
            } else if !word.contains(DANGEROUS) {
                format!("\"{word}\"")
            } else if !word.contains('\'') {
                format!("'{word}'")
            } else {
                let mut out = String::from("\"");
                for c in word.chars() {
                    if DANGEROUS.contains(&c) {
                        out.push('\\');
                    }
                    out.push(c);
                }
                out.push('"');
                out
            }
        })
        .collect();
    Ok(vm.string(&quoted.join(" ")))
}
