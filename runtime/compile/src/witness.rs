//! A compile by an older version's rules as the witness of what a newer one does otherwise (`bunraku upgrade`): it goes on
//! where the newer one would end, so that each of a node's causes is found and not the first alone.

use crate::compile::Compile;
use crate::inputs::Newer;
use crate::state::witness::Note;
use bunraku_compiler::check::DEPRECATED_TYPE;
use bunraku_configuration::origin::Origin;
use bunraku_configuration::table::Table;
use bunraku_data::{json as data, names};
use bunraku_environment::units::checked_as;
use bunraku_nodes::legacy_facts;
use bunraku_resource_types::ResourceTypes;
use bunraku_vm::compat::Rule;
use bunraku_vm::diagnostic::{Place, Severity};
use bunraku_vm::host::{Change, Strict, WitnessPort};
use bunraku_vm::value::{Hash, Value};
use serde_json::{Map, Value as Json};
use std::path::{Path, PathBuf};

impl<'c> WitnessPort<'c> for Compile<'c> {
    fn is_witness(&self) -> bool {
        self.witness.newer.is_some()
    }

    fn witness(&self, change: Change, subject: &str, place: Place) {
        if self.is_witness() {
            self.witness_at(change, subject, self.place_in_file(subject).unwrap_or(place));
        }
    }

    fn withheld_fact(&self, name: &str) -> Option<Value<'c>> {
        self.witness.newer?;
        let value = self.witness.withheld.borrow().get(name).copied();
        self.witness.reads.set(self.witness.reads.get() + usize::from(value.is_some()));
        value
    }

    fn is_all_facts(&self, hash: Hash<'c>) -> bool {
        self.witness.facts.get() == Some(hash.address())
    }
}

impl<'c> Compile<'c> {
    /// Takes a note of a place, unless the newer version does as the older one.
    pub(crate) fn witness_at(&self, change: Change, subject: &str, place: Place) {
        if self.witness.newer.is_some_and(|newer| self.differs(newer, change, subject)) {
            self.witness.note(Note { change, subject: subject.to_owned(), place });
        }
    }

    /// Whether the newer version does otherwise by its rules and settings.
    fn differs(&self, newer: Newer, change: Change, subject: &str) -> bool {
        let own = &self.options.settings;
        let reads = |variables: bool, strict: Strict| if variables { Strict::Error } else { strict };
        match change {
            Change::LegacyFact | Change::HieraLevel => !newer.legacy_facts,
            Change::UnknownVariable => {
                reads(newer.strict_variables, newer.strict) == Strict::Error
                    && reads(own.strict_variables, own.strict) != Strict::Error
            }
            Change::UndefinedVariable
            | Change::NumericCoercion
            | Change::LateOverride
            | Change::DataIsNoHash
            | Change::MetadataIsNoJson
            | Change::HieraVersion3
            | Change::DeprecatedFunction => newer.strict == Strict::Error && own.strict != Strict::Error,
            Change::Setting => self.setting_differs(newer, subject),
            Change::Syntax | Change::ResourceType => true,
            Change::Rule(rule) => own.compat.holds(rule) != newer.compat.holds(rule),
        }
    }

    /// Whether a setting is none of the newer version's, or has another value there because nobody sets it.
    fn setting_differs(&self, newer: Newer, name: &str) -> bool {
        let (old, new) = (Table::of(self.options.settings.compat), Table::of(newer.compat));
        let is_default = || match self.environment.in_force().get(name) {
            Ok(found) => found.origin == Origin::Default,
            Err(_) => false,
        };
        match (old.find(name), new.find(name)) {
            (Some(_), None) => true,
            (Some(old), Some(new)) => old.default() != new.default() && is_default(),
            (None, _) => false,
        }
    }

    /// The place of a subject in the file that is being read; none where the machine knows where it is.
    pub(crate) fn place_in_file(&self, subject: &str) -> Option<Place> {
        let file = self.witness.file.borrow().clone()?;
        let read = || {
            let bytes = self.tree().read(&file).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let line = self.witness.line_of(&file, subject, read);
        Some(Place { file: Some(file.to_string_lossy().into()), line, column: None })
    }

    /// Says which file texts are read from now; the answer is the one before, to be said again behind it.
    pub(crate) fn enter_file(&self, file: Option<&Path>) -> Option<PathBuf> {
        match self.is_witness() {
            true => self.witness.file.replace(file.map(Path::to_owned)),
            false => None,
        }
    }

    /// The facts of a node without those that newer agents do not send, which are kept aside.
    pub(crate) fn without_withheld(&self, facts: &Map<String, Json>) -> Option<Map<String, Json>> {
        self.witness.newer.filter(|newer| !newer.legacy_facts)?;
        let (legacy, others): (Map<_, _>, Map<_, _>) =
            facts.clone().into_iter().partition(|(name, value)| legacy_facts::is_legacy(name, value));
        let values = data::facts(self.arena, &legacy);
        let mut withheld = self.witness.withheld.borrow_mut();
        for (name, (_, value)) in legacy.keys().zip(values.entries()) {
            withheld.insert(name.clone(), *value);
        }
        Some(others)
    }

    /// Notes what the newer version finds wrong with the text of a file that has just been loaded.
    pub(crate) fn witness_file(&self, path: &Path, in_module: Option<&str>) {
        let Some(newer) = self.witness.newer else { return };
        let own = (self.options.settings.strict, self.options.settings.compat);
        if own == (newer.strict, newer.compat) {
            return;
        }
        let modules = &self.environment.modules;
        if let Some(module) = modules.containing(path).filter(|module| modules.is_without_json(module)) {
            let file = Some(module.path.join("metadata.json").to_string_lossy().into());
            self.witness(Change::MetadataIsNoJson, &module.name, Place { file, ..Place::default() });
        }
        let found = match checked_as(self.tree(), path, (newer.strict, newer.compat), in_module) {
            Ok(compiled) => {
                compiled.warnings.iter().filter(|one| one.code == Some(DEPRECATED_TYPE)).cloned().collect()
            }
            Err(faults) => faults.to_vec(),
        };
        for one in found {
            let change = match one.code {
                Some(DEPRECATED_TYPE) => Change::Rule(Rule::ComputedParameterTypesWarn),
                _ if one.severity >= Severity::Err => Change::Syntax,
                _ => continue,
            };
            self.witness(change, &one.message, one.place);
        }
    }

    /// Notes what follows from the node and its environment before any code does.
    pub(crate) fn witness_environment(&self) {
        if let (Some(provider), Some(folder)) = (&self.environment.data_provider, &self.environment.directory)
        {
            let file = folder.join("environment.conf");
            let place = Place { file: Some(file.to_string_lossy().into()), ..Place::default() };
            self.witness(Change::Rule(Rule::EnvironmentDataProvider), provider, place);
        }
    }

    /// Notes the resources of types that come without a module here and not in the newer version.
    pub(crate) fn witness_types(&self) {
        let Some(newer) = self.witness.newer else { return };
        let (own, newer) =
            (ResourceTypes::builtin(self.options.settings.compat), ResourceTypes::builtin(newer.compat));
        for resource in &self.catalog.borrow().resources {
            let name = resource.type_name.to_lowercase();
            let is_gone = own.get(&name).is_some() && newer.get(&name).is_none();
            if is_gone && self.environment.types.file(&name).is_none() {
                let line = (resource.line != 0).then_some(resource.line);
                let file = resource.file.filter(|file| !file.is_empty()).map(Into::into);
                let place = Place { file, line, column: None };
                self.witness(Change::ResourceType, &name, place);
            }
        }
    }

    /// Notes where the node that a pattern stands for is called otherwise: a class of the catalog.
    pub(crate) fn witness_node(&self, pattern: &str, place: Place) {
        let Some(newer) = self.witness.newer else { return };
        let own = names::of_node_pattern(pattern, self.options.settings.compat);
        if own != names::of_node_pattern(pattern, newer.compat) {
            let rule = match self.options.settings.compat.holds(Rule::NodePatternsSpellLookaround) {
                true => Rule::NodePatternsInLowerCase,
                false => Rule::NodePatternsSpellLookaround,
            };
            self.witness(Change::Rule(rule), pattern, place);
        }
    }
}
