//! Native twins of functions that widespread modules write in Ruby: puppetlabs-stdlib, and helpers of a few others.
//!
//! A twin stands in for its module's function only where the module is on the module path and has that function's
//! file; the runtime looks for the files. Values, messages and warnings are those of the Ruby.

#[macro_use]
mod old;
#[macro_use]
mod deprecation;
mod address;
mod array;
mod crypt;
mod data;
mod declare;
mod facts;
mod hash;
mod helpers;
mod is;
pub mod json;
mod pick;
mod random;
mod range;
mod ruby;
mod shell;
pub mod shellwords;
mod shim;
mod stores;
mod text;
mod validate;
mod world;

use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::{Call, Native};
use bunraku_vm::vm::Vm;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use old::OldFunction;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

/// Which of Puppet's two interfaces a function is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// 4.x: typed, a module sees those of its dependencies.
    New,
    /// 3.x: untyped, seen by everybody.
    Old,
}

impl Api {
    /// The folder of a module that holds such functions.
    pub fn folder(self) -> &'static str {
        match self {
            Api::New => "lib/puppet/functions",
            Api::Old => "lib/puppet/parser/functions",
        }
    }

    /// The file of a module that a function is written in.
    pub fn file(self, name: &str) -> String {
        format!("{}/{}.rb", self.folder(), name.replace("::", "/"))
    }
}

/// A native twin.
#[derive(Clone, Copy)]
pub struct Twin {
    /// The module it belongs to.
    pub module: &'static str,
    /// The interface of the function it stands in for.
    pub api: Api,
    /// The function.
    pub native: &'static Native,
    /// Whether it stands in only where a function of the module's own name space has the same name: stdlib 9 moved
    /// its functions there, and what it left passes calls on.
    pub shim: bool,
}

/// A version of a module, and what of it was compared: the differential tests ran against it, or its files are those of
/// one they ran against.
struct Compared {
    module: &'static str,
    major: u32,
    minor: RangeInclusive<u32>,
    /// Twins that do otherwise than this version.
    except: &'static [&'static str],
}

/// Functions that stdlib 9 has changed.
const CHANGED_IN_9: &[&str] = &[
    "deprecation",
    "fqdn_rotate",
    "merge",
    "os_version_gte",
    "parsepson",
    "pw_hash",
    "reject",
    "stdlib::os_version_gte",
    "validate_legacy",
];

/// Functions that are others before stdlib 8.3, or lie elsewhere.
const OTHERS_BEFORE_8_3: &[&str] = &[
    "ensure_packages",
    "loadjson",
    "os_version_gte",
    "parsejson",
    "parsepson",
    "shell_escape",
    "stdlib::str2resource",
    "to_json",
    "to_python",
    "to_ruby",
    "to_toml",
    "to_yaml",
    "uriescape",
];

/// What twins stand in for; other versions are left to Ruby.
const COMPARED: &[Compared] = &[
    Compared { module: "stdlib", major: 8, minor: 0..=2, except: OTHERS_BEFORE_8_3 },
    Compared { module: "stdlib", major: 8, minor: 3..=4, except: &["parsejson", "parsepson"] },
    Compared { module: "stdlib", major: 8, minor: 5..=5, except: &[] },
    Compared { module: "stdlib", major: 8, minor: 6..=6, except: &["ensure_packages", "pw_hash"] },
    Compared { module: "stdlib", major: 9, minor: 2..=7, except: CHANGED_IN_9 },
    Compared { module: "apache", major: 5, minor: 5..=5, except: &[] },
    Compared { module: "collectd", major: 11, minor: 0..=0, except: &[] },
    Compared { module: "datacat", major: 0, minor: 6..=6, except: &[] },
    Compared { module: "mcollective", major: 2, minor: 1..=1, except: &[] },
    Compared { module: "memcached", major: 3, minor: 1..=1, except: &[] },
    Compared { module: "mysql", major: 8, minor: 1..=1, except: &[] },
    Compared { module: "neutron", major: 21, minor: 0..=0, except: &[] },
    Compared { module: "openstack_extras", major: 21, minor: 0..=0, except: &[] },
    Compared { module: "openstacklib", major: 21, minor: 0..=0, except: &[] },
    Compared { module: "postgresql", major: 6, minor: 7..=7, except: &[] },
    Compared { module: "redis", major: 3, minor: 2..=2, except: &[] },
    Compared { module: "ssh", major: 2, minor: 8..=8, except: &[] },
    Compared { module: "translate", major: 2, minor: 2..=2, except: &[] },
];

/// Whether the twin of a module's function was compared with that of a version of the module (`8.5.0`).
pub fn was_compared(module: &str, name: &str, version: &str) -> bool {
    let mut numbers = version.split('.').map(str::parse::<u32>);
    let (Some(Ok(major)), Some(Ok(minor))) = (numbers.next(), numbers.next()) else { return false };
    COMPARED.iter().any(|compared| {
        compared.module == module
            && compared.major == major
            && compared.minor.contains(&minor)
            && !compared.except.contains(&name)
    })
}

/// Leaves a call to the Ruby that the twin stands in for: what it can't do as Ruby does.
fn leave<'c>(vm: &mut Vm<'c>, name: &str, call: Call<'c, '_>) -> Eval<'c> {
    let answer = vm.host.foreign(vm, name, call)?;
    answer.ok_or_else(|| Flow::raw(format!("Unknown function: '{name}'.")))
}

/// Functions of the new kind, by module.
static NEW: &[(&str, &[&[Native]])] = &[
    (
        "stdlib",
        &[
            data::NATIVES,
            declare::NATIVES,
            deprecation::NATIVES,
            facts::NATIVES,
            hash::NATIVES,
            is::NATIVES,
            is::DEPRECATED,
            random::NATIVES,
            shell::NATIVES,
            validate::NATIVES,
            validate::DEPRECATED,
            world::NATIVES,
        ],
    ),
    ("openstacklib", &[helpers::OPENSTACKLIB]),
    ("apache", &[helpers::APACHE]),
    ("memcached", &[stores::MEMCACHED]),
    ("mysql", &[stores::MYSQL]),
    ("neutron", &[helpers::NEUTRON]),
    ("openstack_extras", &[helpers::OPENSTACK_EXTRAS]),
    ("postgresql", &[stores::POSTGRESQL]),
    ("translate", &[helpers::TRANSLATE]),
];

/// Functions of the old kind, by module.
static OLD: &[(&str, &[&[OldFunction]])] = &[
    (
        "stdlib",
        &[
            array::OLD,
            data::OLD,
            declare::OLD,
            deprecation::OLD,
            hash::OLD,
            is::OLD,
            pick::OLD,
            random::OLD,
            range::OLD,
            shell::OLD,
            text::OLD,
            validate::OLD,
            world::OLD,
        ],
    ),
    ("collectd", &[helpers::COLLECTD]),
    ("datacat", &[helpers::DATACAT]),
    ("mcollective", &[helpers::MCOLLECTIVE]),
    ("mysql", &[stores::OLD_MYSQL]),
    ("redis", &[stores::REDIS]),
    ("ssh", &[helpers::SSH]),
];

/// All twins: for a name that has two, the one that Puppet prefers first.
pub fn twins() -> impl Iterator<Item = Twin> {
    let shims = shim::SHIMS.iter().map(|native| Twin { module: "stdlib", api: Api::New, native, shim: true });
    let new = NEW.iter().flat_map(|(module, groups)| {
        groups.iter().copied().flatten().map(|native| Twin { module, api: Api::New, native, shim: false })
    });
    let old = OLD.iter().flat_map(|(module, groups)| {
        let functions = groups.iter().copied().flatten();
        functions.map(|function| Twin { module, api: Api::Old, native: &function.native, shim: false })
    });
    shims.chain(new).chain(old)
}

/// The twins of each name: the first, and the others, which few names have. Every process makes this table.
static BY_NAME: LazyLock<HashMap<&'static str, (Twin, Vec<Twin>)>> = LazyLock::new(|| {
    let mut all: HashMap<_, (Twin, Vec<Twin>)> = HashMap::with_capacity(twins().count());
    for twin in twins() {
        match all.entry(twin.native.name) {
            Entry::Occupied(mut known) => known.get_mut().1.push(twin),
            Entry::Vacant(new) => _ = new.insert((twin, Vec::new())),
        }
    }
    all
});

/// Whether some module's function of that name has a twin.
pub fn has_twin(name: &str) -> bool {
    BY_NAME.contains_key(name)
}

/// The twins of a module's function of that name and kind: one that stands in for a shim first.
pub fn twins_of<'a>(name: &str, module: &'a str, api: Api) -> impl Iterator<Item = Twin> + use<'a> {
    let twins = BY_NAME.get(name).into_iter();
    let twins = twins.flat_map(|(first, others)| std::iter::once(first).chain(others)).copied();
    twins.filter(move |twin| twin.module == module && twin.api == api)
}

static OLD_BY_NAME: LazyLock<HashMap<&'static str, &'static OldFunction>> = LazyLock::new(|| {
    let all = OLD.iter().flat_map(|(_, groups)| groups.iter().copied().flatten());
    all.map(|function| (function.native.name, function)).collect()
});

/// The twin of an old function, as other functions call it (Ruby: `function_NAME`).
fn old_function(name: &str) -> Option<&'static OldFunction> {
    OLD_BY_NAME.get(name).copied()
}
