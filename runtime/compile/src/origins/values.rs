//! What set a parameter, as it is told at the end of a compile.

use super::tell::{Teller, leaf, place, place_of};
use super::written::Body;
use super::{Code, CodePlace, Expression, ParameterOrigin, Via};
use crate::state::definitions::DefinitionKind;
use crate::state::recorded::Given;
use bunraku_catalog::Param;
use bunraku_compiler::written::WrittenKind;
use bunraku_hiera::query::origin::Origin;
use bunraku_vm::scope::ResourceId;
use bunraku_vm::vm::Vm;

impl<'c> Teller<'_, 'c> {
    /// What set a parameter.
    pub(super) fn origin(&mut self, vm: &mut Vm<'c>, id: ResourceId, param: &Param<'c>) -> ParameterOrigin {
        if let Some([node, ..]) = self.compile.resources.taken_in.borrow().get(&id) {
            return ParameterOrigin::Exported((*node).to_owned());
        }
        let (given, arrows) = self.given.of(self.recorded, id, param.name);
        match given {
            None => self.by_place(id, param),
            Some(Given::Hiera(noted)) => {
                let [origins, shadowed] = self.compile.origins_of(vm, &noted, &mut self.lines);
                let mut leaves = |all: &[Origin<'c>]| all.iter().map(|origin| leaf(vm, origin)).collect();
                let key = noted.key.to_owned();
                ParameterOrigin::Hiera { key, leaves: leaves(&origins), shadowed: leaves(&shadowed) }
            }
            Some(Given::Classifier) => ParameterOrigin::Classifier,
            Some(Given::Override) => ParameterOrigin::Override(self.code(id, param)),
            Some(Given::Collector(site)) => ParameterOrigin::Collector(self.code(id, param), place(site)),
            Some(Given::Arrow(_)) => ParameterOrigin::Arrows(arrows.into_iter().map(place).collect()),
            Some(Given::Changed) => ParameterOrigin::Changed,
            Some(Given::Require(site)) => ParameterOrigin::Require(place(site)),
            Some(Given::Container(container)) => ParameterOrigin::Container(container.0 as usize),
        }
    }

    fn by_place(&mut self, id: ResourceId, param: &Param<'c>) -> ParameterOrigin {
        let (type_name, own, body, scope) = {
            let catalog = self.compile.catalog.borrow();
            let resource = &catalog[id];
            let own = place_of((resource.file, resource.line));
            (resource.type_name, own, resource.origin.body, resource.origin.scope)
        };
        if param.at.is_some() {
            let code = self.code(id, param);
            return match self.scope_of_default(type_name, param) {
                Some(scope) => ParameterOrigin::ResourceDefault(code, scope),
                None => ParameterOrigin::Attribute(code),
            };
        }
        match body {
            Some(number) if number == param.source => {
                let definition = self.compile.definition(number);
                if param.name == "stage" {
                    return match scope.container().resource.get().filter(|container| *container != id) {
                        Some(container) => ParameterOrigin::Container(container.0 as usize),
                        None => ParameterOrigin::Own,
                    };
                }
                let body = Body { definition: definition.name, id: Some(id) };
                let code =
                    self.sources.default((definition.manifest.file, definition.line), param.name, body);
                ParameterOrigin::Definition(self.with_facts(code))
            }
            _ if own.line != 0 => ParameterOrigin::CreateResources(own),
            _ => ParameterOrigin::Own,
        }
    }

    /// The code of a parameter that has a place.
    fn code(&mut self, id: ResourceId, param: &Param<'c>) -> Code {
        let Some(spot) = param.at else { return Code { place: CodePlace::default(), written: None } };
        let definition = self.compile.definition(param.source);
        let around = {
            let catalog = self.compile.catalog.borrow();
            let around = catalog[id].origin.scope.container().resource.get();
            around.filter(|around| catalog[*around].origin.body == Some(param.source))
        };
        let (definition, id) = match definition.kind {
            DefinitionKind::Class => {
                (definition.name, around.or_else(|| self.compile.find_resource("Class", definition.name)))
            }
            DefinitionKind::Define => (definition.name, around),
            DefinitionKind::Main | DefinitionKind::Node => ("", None),
        };
        let code = self.sources.attribute(spot.site(), Body { definition, id });
        self.with_facts(code)
    }

    /// Names what of the code's variables is a fact or comes from the classifier.
    fn with_facts(&self, mut code: Code) -> Code {
        if let Some(Expression { kind, via: via @ None, .. }) = &mut code.written
            && let WrittenKind::Variable(name) | WrittenKind::Part(name, _) = kind
        {
            *via = match () {
                () if self.node.parameters.contains_key(name) => {
                    Some(Box::new(Via::Classifier(name.clone())))
                }
                () if self.node.facts.map().contains_key(name) => Some(Box::new(Via::Fact(name.clone()))),
                () => None,
            };
        }
        code
    }

    /// Whether a parameter is a default of its type: then the class that has it, if it is one's.
    fn scope_of_default(&self, type_name: &str, param: &Param<'c>) -> Option<Option<String>> {
        let site = |param: &Param<'c>| {
            param.at.map(|spot| spot.site()).map(|site| (site.file, site.line, site.column))
        };
        let defaults = self.compile.resources.defaults.borrow();
        let of_type = defaults.get(type_name)?;
        let (scope, _) = of_type
            .iter()
            .find(|(_, all)| all.iter().any(|one| one.name == param.name && site(one) == site(param)))?;
        let classes = self.compile.scopes.of_classes.borrow();
        let class = classes.values().find(|class| class.id == *scope).map(|class| class.name.to_owned());
        Some(class)
    }
}
