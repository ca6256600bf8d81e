//! `Bunraku`: how the prelude asks the compile, and what it has computed.

use super::{openssl, uri};
use crate::eval::{Done, Run};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::functions::journal::Asked;
use crate::value::{Class, V};
use bunraku_vm::value::Value;

/// Calls a method of `Bunraku` or of `Bunraku.compile`; none for what is not known.
pub(super) fn call<'c>(run: &mut Run<'_, 'c>, name: &str, args: &[V<'c>]) -> Done<'c, Option<V<'c>>> {
    let (question, given) = match (name, args) {
        ("left_to_ruby", []) => return Err(ForRuby("what the prelude does not know").into()),
        ("compile", []) => return Ok(Some(V::Class(Class::CompileOfBunraku))),
        // What code would hang onto the compiler, the catalog or the environment is left to Ruby: no object of these is kept.
        ("kept", [_]) => return Ok(Some(V::Nil)),
        ("keep", [_, object]) => return Ok(Some(object.clone())),
        ("digest_of" | "hmac" | "pbkdf2", [digest, args @ ..]) => {
            return Ok(Some(openssl::call(name, &text(digest), args)?));
        }
        ("bytes_of", [text]) => {
            let bytes = super::digests::given(text, ForRuby("a digest of other than a string"))?;
            return Ok(Some(V::bytes(bytes)));
        }
        ("uri_parts", [text]) => return Ok(Some(uri::parts(text)?)),
        ("uri_of", [given]) => return Ok(Some(uri::of(given)?)),
        ("uri_text", [parts]) => return Ok(Some(uri::text(parts)?)),
        // What a text says, and why it says nothing: one of both.
        ("hocon", [given]) => {
            return Ok(Some(
                match run.world.hocon(&text(given)).ok_or(ForRuby("HOCON that is not plain"))? {
                    Ok(value) => V::pair(V::from(value), V::Nil),
                    Err(fault) => V::pair(V::Nil, V::made(fault)),
                },
            ));
        }
        ("version" | "version_order" | "version_range" | "in_version_range", args) => {
            return Ok(super::versions::semantic(name, args)?);
        }
        ("node" | "environment", []) => (name.to_owned(), Vec::new()),
        ("ask", [question]) => (text(question), Vec::new()),
        ("ask", [question, list]) => (text(question), list.items()?.unwrap_or_default()),
        _ => return Ok(None),
    };
    let given = given.iter().map(|value| value.to_value(run.vm)).collect::<OrRuby<Vec<Value<'c>>>>()?;
    let answer = run.asked(|run| run.world.answer(run.vm, &question, &given))?;
    if let (Some(answer), Some(journal), true) = (answer, &mut run.journal, CHANGING.contains(&&*question)) {
        journal.note(Asked::Read(question, given), &Ok(answer));
    }
    Ok(answer.map(V::from))
}

/// Questions that are answered otherwise once the catalog has changed.
const CHANGING: &[&str] = &["classes", "defaults", "resource", "resources", "scope", "tags"];

fn text(question: &V<'_>) -> String {
    question.text().map(|text| text.to_string()).unwrap_or_default()
}
