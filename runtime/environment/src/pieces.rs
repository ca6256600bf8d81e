//! What a tree consists of, piece by piece, as somebody would delete it: definitions of manifests, functions, templates, files, keys of
//! data, whole files of data, entries of Hiera's hierarchy. Each with the questions (see [`bunraku_files::reads`]) that a compile has
//! asked that uses it; and what code and data say of names that are computed. See [`data`] for what is of Hiera.

pub(crate) mod data;

use crate::changes::listed_files;
use crate::snapshot::Snapshot;
use bunraku_compiler::bodies;
use bunraku_compiler::survey::{Computed, Defined, Named, Survey, survey};
use bunraku_compiler::{SourceFile, SourceKind};
use bunraku_files::reads::{PathQuestion, Touch};
use bunraku_vm::unit::DefKind;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PieceKind {
    /// A class.
    Class,
    /// A defined type.
    Define,
    /// A node definition.
    Node,
    /// A data type: an alias.
    Type,
    /// A function, of either language.
    Function,
    /// A template.
    Template,
    /// A file that agents get, or `file` reads.
    File,
    /// A file of data.
    Data,
    /// A key of a file of data.
    Key,
    /// An entry of a hierarchy.
    Layer,
}

/// What a compile has asked that uses a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Uses {
    /// One of these.
    Any(Vec<Touch>),
    /// One of the second and, of the first, the file's data; or the third, all of the file.
    Key(Touch, Vec<Touch>, Touch),
    /// One of the files of data that an entry may lead to.
    AnyOf(Vec<Touch>),
}

impl Uses {
    /// Whether a compile that has asked these questions (sorted) uses it.
    pub fn met_by(&self, touches: &[Touch]) -> bool {
        let asked = |touch: &Touch| touches.binary_search(touch).is_ok();
        match self {
            Uses::Any(all) | Uses::AnyOf(all) => all.iter().any(asked),
            Uses::Key(file, keys, content) => (asked(file) && keys.iter().any(asked)) || asked(content),
        }
    }
}

/// A piece of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub kind: PieceKind,
    /// What code calls it.
    pub name: String,
    /// Where it is written: the file on the disk.
    pub file: PathBuf,
    /// The line there, from 1; none of whole files.
    pub line: Option<u32>,
    /// The module it is in, where it is in one.
    pub module: Option<String>,
    /// Who uses it.
    pub uses: Uses,
    /// Of a definition: what is asked where its manifest is loaded, be it for something else.
    pub loaded: Vec<Touch>,
}

/// A name that code computes, with the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComputedName {
    /// The name.
    pub computed: Computed,
    /// Where: the file on the disk.
    pub file: PathBuf,
    /// The module that the code is in.
    pub module: Option<String>,
}

/// See the module.
#[derive(Debug, Default)]
pub struct Pieces {
    /// The environment's folder, where it has one.
    pub folder: Option<PathBuf>,
    /// All pieces, in the order of their files' names.
    pub all: Vec<Piece>,
    /// Names that code computes.
    pub computed: Vec<ComputedName>,
    /// Texts that code and data have written out, of a length that names have.
    pub texts: HashSet<String>,
    /// The parameters of classes and defined types, by name.
    pub parameters: HashMap<String, Vec<String>>,
    /// Files that could not be looked into, and why.
    pub unread: Vec<(PathBuf, String)>,
}

/// A file of a tree.
struct TreeFile {
    /// As an archive calls it.
    name: String,
    path: PathBuf,
    module: Option<String>,
    /// Its path in its module, or in the environment.
    inside: String,
}

impl Pieces {
    /// Those of an environment.
    ///
    /// # Errors
    /// When a folder or archive can't be read.
    pub fn of(snapshot: &Snapshot) -> Result<Pieces, String> {
        let mut pieces = Pieces { folder: snapshot.directory.clone(), ..Pieces::default() };
        let manifests: HashSet<PathBuf> = snapshot.manifest_files().into_iter().collect();
        let files: Vec<TreeFile> = listed_files(snapshot)?
            .into_iter()
            .filter_map(|(name, path)| TreeFile::of(snapshot, name, path))
            .collect();
        for file in &files {
            pieces.add(snapshot, file, manifests.contains(&file.path));
        }
        data::add(snapshot, &files, &mut pieces);
        Ok(pieces)
    }

    fn add(&mut self, snapshot: &Snapshot, file: &TreeFile, is_main: bool) {
        let inside = file.inside.as_str();
        let below = |folder: &str| inside.strip_prefix(folder);
        let is_code = ["manifests/", "functions/", "types/"].iter().any(|folder| inside.starts_with(folder));
        if inside.ends_with(".pp")
            && (is_main || (is_code && (file.module.is_some() || below("manifests/").is_none())))
        {
            return self.manifest(snapshot, file);
        }
        let module = file.module.as_deref();
        if let Some(name) = ruby_function(inside) {
            let provided = Touch::of(PathQuestion::Provided, &inside.to_lowercase());
            let own = [PathQuestion::Content, PathQuestion::Kind].map(|asked| Touch::of(asked, &file.name));
            let uses = Uses::Any(own.into_iter().chain([provided]).collect());
            return self.push(file, PieceKind::Function, name, uses);
        }
        let Some(module) = module else { return };
        let contents =
            [PathQuestion::Content, PathQuestion::Kind, PathQuestion::Outline, PathQuestion::Below];
        let uses = || Uses::Any(contents.iter().map(|asked| Touch::of(*asked, &file.name)).collect());
        if let Some(rest) = below("templates/") {
            self.push(file, PieceKind::Template, format!("{module}/{rest}"), uses());
            if rest.ends_with(".epp") {
                self.template(snapshot, file);
            }
        } else if let Some(rest) = below("files/") {
            self.push(file, PieceKind::File, format!("{module}/{rest}"), uses());
        }
    }

    fn push(&mut self, file: &TreeFile, kind: PieceKind, name: String, uses: Uses) {
        self.all.push(Piece {
            kind,
            name,
            file: file.path.clone(),
            line: None,
            module: file.module.clone(),
            uses,
            loaded: Vec::new(),
        });
    }

    fn surveyed(&mut self, snapshot: &Snapshot, file: &TreeFile, kind: SourceKind) -> Option<Survey> {
        let text = match snapshot.tree().read_to_string(&file.path) {
            Ok(text) => text,
            Err(error) => {
                self.unread.push((file.path.clone(), error.to_string()));
                return None;
            }
        };
        let source = SourceFile { kind, ..SourceFile::manifest(&text) };
        match survey(&source) {
            None => {
                self.unread.push((file.path.clone(), "it does not parse".to_owned()));
                None
            }
            Some(mut found) => {
                let named = |computed| ComputedName {
                    computed,
                    file: file.path.clone(),
                    module: file.module.clone(),
                };
                self.computed.extend(found.computed.drain(..).map(named));
                self.texts.extend(found.texts.drain());
                Some(found)
            }
        }
    }

    fn template(&mut self, snapshot: &Snapshot, file: &TreeFile) {
        self.surveyed(snapshot, file, SourceKind::Epp);
    }

    fn manifest(&mut self, snapshot: &Snapshot, file: &TreeFile) {
        let Some(found) = self.surveyed(snapshot, file, SourceKind::Manifest) else { return };
        let loaded: Vec<Touch> = [PathQuestion::Outline, PathQuestion::Content]
            .iter()
            .map(|asked| Touch::of(*asked, &file.name))
            .collect();
        for Defined { kind, names, parameters, line } in found.defined {
            let piece_kind = match kind {
                DefKind::Class => PieceKind::Class,
                DefKind::Define => PieceKind::Define,
                DefKind::Function => PieceKind::Function,
                DefKind::Node => PieceKind::Node,
                DefKind::TypeAlias | DefKind::ObjectType | DefKind::TypeSet => PieceKind::Type,
            };
            if matches!(kind, DefKind::Class | DefKind::Define) {
                self.parameters.extend(names.iter().map(|name| (name.clone(), parameters.clone())));
            }
            let uses = match piece_kind {
                PieceKind::Type => {
                    let kind = Touch::of(PathQuestion::Kind, &file.name);
                    loaded.iter().copied().chain([kind]).collect()
                }
                _ => {
                    let outline = Touch::of(PathQuestion::Outline, &file.name);
                    let body = |name: &String| Touch::of_body(outline, (&bodies::key(kind, name), ""));
                    names.iter().map(body).collect()
                }
            };
            self.push(file, piece_kind, names.join(", "), Uses::Any(uses));
            if let Some(piece) = self.all.last_mut() {
                (piece.line, piece.loaded) = (Some(line), loaded.clone());
            }
        }
    }
}

impl TreeFile {
    fn of(snapshot: &Snapshot, name: String, path: PathBuf) -> Option<TreeFile> {
        if let Some((place, module)) = snapshot.modules.place(&path) {
            let (_, inside) = place.split_once('/')?;
            return Some(TreeFile {
                name,
                inside: inside.to_owned(),
                module: Some(module.name.clone()),
                path,
            });
        }
        let inside = path.strip_prefix(snapshot.directory.as_deref()?).ok()?.to_str()?.to_owned();
        Some(TreeFile { name, inside, module: None, path })
    }
}

/// The name of the function that a file of Ruby is for.
fn ruby_function(inside: &str) -> Option<String> {
    let name = inside.strip_suffix(".rb")?;
    if let Some(name) = name.strip_prefix("lib/puppet/functions/") {
        return Some(name.replace('/', "::"));
    }
    // Below it are no functions of their own.
    name.strip_prefix("lib/puppet/parser/functions/").filter(|name| !name.contains('/')).map(str::to_owned)
}

/// What names are of that a kind of piece is found by.
pub fn named(kind: PieceKind) -> Option<Named> {
    match kind {
        PieceKind::Class => Some(Named::Class),
        PieceKind::Define => Some(Named::Define),
        PieceKind::Function => Some(Named::Function),
        PieceKind::Template => Some(Named::Template),
        PieceKind::File => Some(Named::File),
        PieceKind::Key => Some(Named::Key),
        PieceKind::Node | PieceKind::Type | PieceKind::Data | PieceKind::Layer => None,
    }
}

/// The place of a file below a folder, for whoever shows it.
pub fn shown(file: &Path, folder: Option<&Path>) -> String {
    let below = folder.and_then(|folder| file.strip_prefix(folder).ok());
    below.unwrap_or(file).to_string_lossy().into_owned()
}
