//! Resource types as `puppet generate types` writes them: `.resource_types/NAME.pp`, one call of
//! `Puppet::Resource::ResourceType3.new`. The call is read from its tree and not run.

use super::titles::NO_PATTERNS;
use super::{Pattern, ResourceType, Titles};
use bumpalo::Bump;
use bunraku_compiler::ast::{Expr, ExprKind};
use bunraku_compiler::{ParseLimits, SourceFile, parse};

/// The type that a generated file describes.
///
/// # Errors
/// Says what about the file is not as Puppet generates it.
pub fn read(name: &str, source: &str) -> Result<ResourceType, String> {
    let arena = Bump::new();
    let file = SourceFile::manifest(source);
    let parsed = parse(&arena, &file, &ParseLimits::default())
        .map_err(|faults| faults.first().map_or("it is no Puppet code".to_owned(), ToString::to_string))?;
    let arguments = constructor(parsed.program.body).ok_or("it does not call ResourceType3.new")?;
    let text = |expr: &Expr<'_>| match expr.kind {
        ExprKind::Str(text) => Some(text.to_owned()),
        _ => None,
    };
    let mut attributes = Vec::new();
    let mut namevars = Vec::new();
    for list in arguments.iter().skip(1).take(2) {
        let ExprKind::Array(params) = list.kind else { return Err("its attributes are no list".to_owned()) };
        for param in params {
            let ExprKind::Call { args, .. } = param.kind else {
                return Err("one of its attributes is no Param".to_owned());
            };
            let name = args.get(1).and_then(text).ok_or("an attribute has no name")?;
            if args.get(2).is_some_and(|flag| matches!(flag.kind, ExprKind::Bool(true))) {
                namevars.push(name.clone());
            }
            attributes.push(name);
        }
    }
    let titles = match arguments.get(3).map(|expr| &expr.kind) {
        Some(ExprKind::Hash(entries)) => {
            let one = |key: &Expr<'_>, value: &Expr<'_>| match (&key.kind, &value.kind) {
                (ExprKind::Regex(regex), ExprKind::Array(names)) => Some(Pattern {
                    regex: (*regex).to_owned(),
                    attributes: names.iter().map(text).collect::<Option<_>>()?,
                }),
                _ => None,
            };
            let patterns = entries.iter().map(|entry| one(&entry.key, &entry.value));
            Titles::Patterns(patterns.collect::<Option<_>>().ok_or("its title patterns are not understood")?)
        }
        _ if namevars.len() > 1 => {
            return Err(NO_PATTERNS.to_owned());
        }
        _ => Titles::Whole,
    };
    let isomorphic = !arguments.get(4).is_some_and(|expr| matches!(expr.kind, ExprKind::Bool(false)));
    Ok(ResourceType { namevars, isomorphic, attributes: Some(attributes), titles, ..ResourceType::new(name) })
}

/// The arguments of the call that is the whole file.
fn constructor<'a>(body: &'a Expr<'a>) -> Option<&'a [Expr<'a>]> {
    match body.kind {
        ExprKind::Block([one]) => constructor(one),
        ExprKind::MethodCall { args, name, .. } if matches!(name.kind, ExprKind::Name("new")) => Some(args),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_puppet_generates_is_read() {
        let source = "
            Puppet::Resource::ResourceType3.new(
              'thing',
              [
                # Valid values are `present`, `absent`.
                Puppet::Resource::Param(Enum['present', 'absent'], 'ensure')
              ],
              [
                Puppet::Resource::Param(Any, 'name', true),
                Puppet::Resource::Param(Any, 'kind', true)
              ],
              {
                /^(.*)\\/(.*)$/ => ['name', 'kind'],
                /^(.*)$/ => ['name']
              },
              false,
              false)";
        let ty = read("thing", source).unwrap();
        assert_eq!(ty.namevars, ["name", "kind"]);
        assert_eq!(ty.attributes.as_deref().unwrap(), ["ensure", "name", "kind"]);
        assert!(!ty.isomorphic);
        assert_eq!(ty.parse_title("a/b").unwrap(), [("name", "a"), ("kind", "b")]);
        assert_eq!(read("x", "1").unwrap_err(), "it does not call ResourceType3.new");
    }
}
