//! puppetlabs-stdlib: `range`, with Ruby's successors of texts.

use super::ruby::{matches, no_method, text_to_i, to_i, to_s};
use bunraku_vm::budget;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::Call;
use bunraku_vm::raised::ARGUMENT_ERROR;
use bunraku_vm::regex;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

old_functions! {
    /// All numbers or texts from one to another, each or every so many.
    "range" range;
}

/// Ruby stops here too.
const MOST: usize = 1_000_000;

fn range<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let fail = |why: String| Err(Flow::raw(format!("range(): {why}")));
    let (start, stop, step, exclusive) = match call.args {
        [] => return fail("Wrong number of arguments given (0 for 1)".to_owned()),
        [Value::Str(value)] => {
            let value = value.as_str();
            let groups = regex::captures(r"^(\w+)(\.\.\.?|\-)(\w+)$", value).map_err(Flow::raw)?;
            match groups.as_deref() {
                Some([_, Some(start), Some(dots), Some(stop)]) => {
                    ((*start).to_owned(), vm.string(stop), 1, *dots == "...")
                }
                _ if matches("^.+$", value) => {
                    return fail(format!("Unable to compute range from the value: {value}"));
                }
                _ => return fail(format!("Unknown range format: {value}")),
            }
        }
        [other] => return Err(no_method("match", *other)),
        [start, stop, rest @ ..] => {
            let step = match rest.first() {
                Some(step) => to_i(*step)?.unsigned_abs() as usize,
                None => 1,
            };
            if step == 0 {
                let why = "range(): 3rd arg (step size) must be a non zero integer (e.g. 1 or -1)";
                return Err(Flow::of_class(ARGUMENT_ERROR, why));
            }
            (to_s(*start), *stop, step, false)
        }
    };
    let items: Vec<_> = if matches(r"^\d+$", &start) {
        let (start, stop) = (text_to_i(&start), to_i(stop)?);
        let stop = if exclusive { stop } else { stop.saturating_add(1) };
        (start..stop).step_by(step).take(MOST).map(Value::Int).collect()
    } else {
        let all = texts(&start, &to_s(stop), exclusive, MOST.saturating_mul(step));
        all.iter().step_by(step).take(MOST).map(|text| vm.string(text)).collect()
    };
    Ok(vm.array(&items))
}

/// Ruby's `String#upto`.
fn texts(start: &str, stop: &str, exclusive: bool, most: usize) -> Vec<String> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if let ([a], [b]) = (start.as_bytes(), stop.as_bytes())
        && a.is_ascii()
        && b.is_ascii()
    {
        let end = if exclusive { u32::from(*b) } else { u32::from(*b) + 1 };
        return (u32::from(*a)..end).filter_map(char::from_u32).map(String::from).collect();
    }
    if is_number(start) && is_number(stop) {
        let width = start.len();
        let (from, to) = (text_to_i(start), text_to_i(stop));
        let to = if exclusive { to } else { to.saturating_add(1) };
        let count = usize::try_from(to.saturating_sub(from)).unwrap_or_default().min(most);
        budget::hold(count.saturating_mul(size_of::<String>() + width));
        return (from..to).take(most).map(|n| format!("{n:0width$}")).collect();
    }
    let mut all = Vec::new();
    if start > stop || (exclusive && start == stop) {
        return all;
    }
    let after = successor(stop);
    let mut current = start.to_owned();
    while current != after && all.len() < most {
        let last = current == stop;
        if exclusive && last {
            break;
        }
        let next = successor(&current);
        budget::spend(current.len());
        budget::hold(size_of::<String>() + current.len());
        all.push(current);
        if last || next.is_empty() || next.len() > stop.len() {
            break;
        }
        current = next;
    }
    all
}

/// Ruby's `String#succ` for texts with at least one ASCII letter or digit; others count up their last character.
fn successor(text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let Some(mut at) = chars.iter().rposition(char::is_ascii_alphanumeric) else {
        if let Some(last) = chars.last_mut() {
            *last = char::from_u32(*last as u32 + 1).unwrap_or('\u{1}');
        }
        return chars.into_iter().collect();
    };
    loop {
        let (next, carry) = match chars[at] {
            'z' => ('a', Some('a')),
            'Z' => ('A', Some('A')),
            '9' => ('0', Some('1')),
            c => (char::from(c as u8 + 1), None),
        };
        chars[at] = next;
        let Some(carry) = carry else { break };
        // The next letter or digit to the left, if nothing but such stands between; else one more is needed.
        let left = chars[..at].iter().rposition(char::is_ascii_alphanumeric);
        match left {
            Some(left) if left + 1 == at || next == '0' || chars[left].is_ascii_alphanumeric() => {
                let separated = left + 1 != at;
                if separated && chars[left].is_ascii_digit() != carry.is_ascii_digit() {
                    chars.insert(at, carry);
                    break;
                }
                at = left;
            }
            _ => {
                chars.insert(at, carry);
                break;
            }
        }
    }
    chars.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::successor;

    #[test]
    fn successors_are_those_of_ruby() {
        // ruby -e 'p "az".succ' and so on
        for (text, next) in [
            ("a", "b"),
            ("az", "ba"),
            ("zz", "aaa"),
            ("a9", "b0"),
            ("Zz", "AAa"),
            ("host09", "host10"),
            ("***", "**+"),
        ] {
            assert_eq!(successor(text), next);
        }
    }
}
