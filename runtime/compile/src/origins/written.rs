//! What code has written where: sources are read again, each once.

use super::{Code, CodePlace, Expression, Via};
use crate::compile::Compile;
use bumpalo::Bump;
use bunraku_compiler::source::decode;
use bunraku_compiler::written::{Manifest, Written, WrittenKind};
use bunraku_files::reads;
use bunraku_vm::host::Site;
use bunraku_vm::scope::ResourceId;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

/// The sources of a compile, and what is known of the node.
pub(super) struct Sources<'t, 'c> {
    compile: &'t Compile<'c>,
    /// Where the trees of sources lie.
    arena: &'t Bump,
    /// Code that was given as text.
    code: Option<&'t str>,
    read: HashMap<Option<String>, Option<Rc<Manifest<'t>>>>,
}

/// In whose body code stands.
#[derive(Clone, Copy)]
pub(super) struct Body<'t> {
    /// The class or defined type, in lower case; empty for other code.
    pub definition: &'t str,
    /// The resource.
    pub id: Option<ResourceId>,
}

impl<'t, 'c> Sources<'t, 'c> {
    pub fn new(compile: &'t Compile<'c>, arena: &'t Bump, code: Option<&'t str>) -> Self {
        Sources { compile, arena, code, read: HashMap::new() }
    }

    fn manifest(&mut self, file: Option<&str>) -> Option<Rc<Manifest<'t>>> {
        let key = file.map(str::to_owned);
        if let Some(known) = self.read.get(&key) {
            return known.clone();
        }
        let text = match file {
            Some(file) => {
                let read = reads::unnoted(|| self.compile.tree().read(Path::new(file))).ok();
                read.and_then(|bytes| Some(&*self.arena.alloc_str(decode(None, &bytes).ok()?)))
            }
            None => self.code,
        };
        let manifest = text.and_then(|text| Manifest::read(self.arena, text)).map(Rc::new);
        self.read.insert(key, manifest.clone());
        manifest
    }

    /// What an attribute has written.
    pub fn attribute(&mut self, site: Site<'_>, body: Body<'_>) -> Code {
        let manifest = self.manifest(site.file);
        let written = manifest.and_then(|all| all.attribute(site.line, site.column));
        let place = CodePlace { file: site.file.map(str::to_owned), line: site.line };
        Code { place, written: written.map(|written| self.expression(written, site.file, body)) }
    }

    /// The key that a call there takes its classes from, where it says so.
    pub fn looked_up(&mut self, place: &CodePlace) -> Option<String> {
        let manifest = self.manifest(place.file.as_deref())?;
        manifest.looked_up(place.line).map(str::to_owned)
    }

    /// The default that a definition has for a parameter: its place is that of the parameter, or else of the definition.
    pub fn default(&mut self, (file, line): (Option<&str>, u32), name: &str, body: Body<'_>) -> Code {
        let manifest = self.manifest(file);
        let written = manifest.and_then(|all| all.parameter(body.definition, name));
        let line = written.as_ref().map_or(line, |written| written.line);
        let place = CodePlace { file: file.map(str::to_owned), line };
        Code { place, written: written.map(|written| self.expression(written, file, body)) }
    }

    fn expression(&mut self, written: Written, file: Option<&str>, body: Body<'_>) -> Expression {
        let via = match &written.kind {
            WrittenKind::Variable(name) => self.variable(name, &[], file, body),
            WrittenKind::Part(name, keys) => self.variable(name, keys, file, body),
            _ => None,
        };
        Expression { text: written.text, kind: written.kind, via: via.map(Box::new) }
    }

    fn variable(&mut self, name: &str, keys: &[String], file: Option<&str>, body: Body<'_>) -> Option<Via> {
        match name {
            "facts" if !keys.is_empty() => return Some(Via::Fact(keys.join("."))),
            "trusted" if !keys.is_empty() => return Some(Via::Trusted(keys.join("."))),
            _ => {}
        }
        let has = |id: ResourceId, name: &str| {
            let catalog = self.compile.catalog.borrow();
            catalog[id].params.iter().any(|param| param.name == name)
        };
        if let Some((class, name)) = name.rsplit_once("::") {
            let id = self.compile.find_resource("Class", class)?;
            return has(id, name).then(|| Via::Parameter(id.0 as usize, name.to_owned()));
        }
        if let Some(id) = body.id.filter(|id| has(*id, name)) {
            return Some(Via::Parameter(id.0 as usize, name.to_owned()));
        }
        for definition in [body.definition, ""] {
            let manifest = self.manifest(file);
            let found: Vec<Code> = manifest
                .iter()
                .flat_map(|all| all.assignments(definition, name))
                .map(|written| Code {
                    place: CodePlace { file: file.map(str::to_owned), line: written.line },
                    // One step is told: variables may go round by way of conditions.
                    written: Some(Expression { text: written.text, kind: written.kind, via: None }),
                })
                .collect();
            if !found.is_empty() {
                return Some(Via::Assigned(found));
            }
        }
        None
    }
}
