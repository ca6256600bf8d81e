//! Where everything in a node's catalog comes from: why a resource is there, who set a parameter, what an edge is from. As values, and
//! as JSON.

use crate::bench::Target;
use crate::compiler::{Compilation, Compiler};
use serde_json::{Map, Value as Json, json};

pub use bunraku_compile::origins::{
    About, ArrowTold, Code, CodePlace, DataPlace, Declared, EdgeReason, EdgeSource, Expression, How, Leaf,
    Origins, Parameter, ParameterOrigin, Step, Via, WrittenKind, close,
};

impl Compiler {
    /// Compiles a node's catalog, which no store takes in, and tells where everything in it comes from. It takes longer than a
    /// compile: look-ups of Hiera are asked of all entries, and sources and data are read again.
    pub fn origins(&self, target: &Target) -> Compilation<Origins> {
        self.told(target, About::All)
    }

    /// The same of what is asked about alone, which costs little more than the compile: all resources are named, and more is told of
    /// those that the answer leads to. Where there is no such resource, [`Origins::find`] says so.
    pub fn origins_about(&self, target: &Target, about: About) -> Compilation<Origins> {
        self.told(target, about)
    }
}

/// A resource as JSON: its chain, its parameters (or that one), tags, what else declares it.
pub fn resource(origins: &Origins, number: usize, parameter: Option<&str>) -> Json {
    let one = origins.resource(number);
    let chain: Vec<Json> =
        origins.chain(number).into_iter().map(|(number, it)| step(origins, Some(number), it)).collect();
    let also: Vec<Json> = one.steps.iter().skip(1).map(|it| step(origins, None, it)).collect();
    let wanted = one.parameters.iter().filter(|one| parameter.is_none_or(|name| name == one.name));
    let parameters: Map<String, Json> =
        wanted.map(|one| (one.name.clone(), self::parameter(origins, one))).collect();
    json!({
        "resource": origins.reference(number),
        "virtual": one.is_virtual,
        "chain": chain,
        "also_declared": also,
        "realized": one.realized.iter().map(place).collect::<Vec<_>>(),
        "parameters": parameters,
        "tags": one.tags,
        "contained_in": one.containers.iter().map(|one| origins.reference(*one)).collect::<Vec<_>>(),
    })
}

/// The reasons of an edge as JSON.
pub fn edge(origins: &Origins, reason: &EdgeReason) -> Json {
    let name = |number: usize| origins.reference(number);
    let mut all = json!({"from": name(reason.from), "to": name(reason.to)});
    match &reason.by {
        EdgeSource::Containment => all["by"] = json!("containment"),
        EdgeSource::Arrow(notify, at) => {
            all["by"] = json!(if *notify { "~>" } else { "->" });
            all["place"] = place(at);
        }
        EdgeSource::Parameter(owner, parameter) => {
            all["by"] = json!(parameter);
            all["of"] = json!(name(*owner));
            let told = origins.resource(*owner).parameter(parameter);
            all["origin"] = told.map_or(Json::Null, |one| origin(origins, &one.origin));
        }
    }
    all
}

fn place(place: &CodePlace) -> Json {
    json!({"file": place.file, "line": (place.line != 0).then_some(place.line)})
}

fn how(how: &How) -> &'static str {
    match how {
        How::Expression => "expression",
        How::CreateResources => "create_resources",
        How::Include => "include",
        How::Contain => "contain",
        How::Require => "require",
        How::Classifier => "classifier",
        How::Inherited => "inherits",
        How::Node => "node",
        How::Exported(_) => "exported",
        How::Always => "always",
    }
}

fn step(origins: &Origins, number: Option<usize>, step: &Step) -> Json {
    let name = |number: usize| origins.reference(number);
    let mut all = json!({"how": how(&step.how), "place": place(&step.place), "by": step.by.map(name)});
    if let Some(number) = number {
        all["resource"] = json!(name(number));
    }
    if !step.data.is_empty() {
        all["data"] = json!(step.data.iter().map(leaf).collect::<Vec<_>>());
    }
    if let How::Exported(node) = &step.how {
        all["node"] = json!(node);
    }
    all
}

fn parameter(origins: &Origins, parameter: &Parameter) -> Json {
    let value: Json = serde_json::from_str(&parameter.json).unwrap_or_default();
    json!({"value": value, "shown": parameter.value, "origin": origin(origins, &parameter.origin)})
}

fn origin(origins: &Origins, origin: &ParameterOrigin) -> Json {
    let with = |kind: &str, code: &Code| {
        let mut all = self::code(origins, code);
        all["kind"] = json!(kind);
        all
    };
    match origin {
        ParameterOrigin::Attribute(code) => with("attribute", code),
        ParameterOrigin::ResourceDefault(code, class) => {
            let mut all = with("resource_default", code);
            all["class"] = json!(class);
            all
        }
        ParameterOrigin::Override(code) => with("override", code),
        ParameterOrigin::Collector(code, at) => {
            let mut all = with("collector", code);
            all["collector"] = place(at);
            all
        }
        ParameterOrigin::Definition(code) => with("definition", code),
        ParameterOrigin::Hiera { key, leaves, shadowed } => {
            let all = |leaves: &[Leaf]| leaves.iter().map(leaf).collect::<Vec<_>>();
            json!({"kind": "hiera", "key": key, "leaves": all(leaves), "shadowed": all(shadowed)})
        }
        ParameterOrigin::Classifier => json!({"kind": "classifier"}),
        ParameterOrigin::CreateResources(at) => json!({"kind": "create_resources", "place": place(at)}),
        ParameterOrigin::Arrows(places) => {
            json!({"kind": "arrows", "places": places.iter().map(place).collect::<Vec<_>>()})
        }
        ParameterOrigin::Changed => json!({"kind": "changed"}),
        ParameterOrigin::Require(at) => json!({"kind": "require", "place": place(at)}),
        ParameterOrigin::Container(number) => {
            json!({"kind": "container", "resource": origins.reference(*number)})
        }
        ParameterOrigin::Exported(node) => json!({"kind": "exported", "node": node}),
        ParameterOrigin::Own => json!({"kind": "own"}),
    }
}

fn leaf(leaf: &Leaf) -> Json {
    let place = |place: &DataPlace| match place {
        DataPlace::File(file, line) => json!({"file": file, "line": line}),
        DataPlace::Entry(entry, uri) => json!({"entry": entry, "uri": uri}),
        DataPlace::Default => json!({"default": true}),
    };
    json!({"key": leaf.key, "value": leaf.value, "places": leaf.places.iter().map(place).collect::<Vec<_>>()})
}

fn code(origins: &Origins, code: &Code) -> Json {
    let Some(written) = &code.written else { return json!({"place": place(&code.place)}) };
    let kind = match written.kind {
        WrittenKind::Literal => "literal",
        WrittenKind::Variable(_) | WrittenKind::Part(..) => "variable",
        WrittenKind::OfBlock(_) => "block_parameter",
        WrittenKind::Call(_) => "call",
        WrittenKind::Computed => "computed",
    };
    let via = written.via.as_ref().map(|via| match &**via {
        Via::Parameter(number, name) => {
            json!({"parameter": name, "of": origins.reference(*number)})
        }
        Via::Fact(name) => json!({"fact": name}),
        Via::Trusted(name) => json!({"trusted": name}),
        Via::Classifier(name) => json!({"classifier": name}),
        Via::Assigned(all) => {
            json!({"assigned": all.iter().map(|one| self::code(origins, one)).collect::<Vec<_>>()})
        }
    });
    json!({"place": place(&code.place), "code": written.text, "written": kind, "via": via})
}
