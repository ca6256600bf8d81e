//! Which version of the language a compile is made by (`--compat 7|8|9`), and the one table of the rules in which the
//! versions differ. Code never compares versions: it asks whether a rule holds, so that each difference has a name and is
//! found where it is decided. Where a compile runs, it asks through
//! [`SettingsPort::holds`](crate::host::SettingsPort::holds).
//!
//! Source: the oracles of `tests/oracle/`, Puppet 7.23.0 and 8.10.0 and OpenVox 9.0.0~rc1; each rule is shown by cases of
//! `spec/` whose blocks carry a version. Settings' defaults by version are not here but in the table of settings.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A version whose defaults and rules are in force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Compat {
    /// Puppet 7, as 7.23.0 (Debian 12) does it.
    V7,
    /// Puppet and OpenVox 8, as Puppet 8.10.0 (Debian 13) does it.
    #[default]
    V8,
    /// OpenVox 9, as its 9.0.0~rc1 (Debian's unstable) does it.
    V9,
}

impl Compat {
    /// All of them, oldest first.
    pub const ALL: [Compat; 3] = [Compat::V7, Compat::V8, Compat::V9];

    /// Whether a rule is in force.
    pub fn holds(self, rule: Rule) -> bool {
        let row = rule.row();
        match self {
            Compat::V7 => row.in_7,
            Compat::V8 => row.in_8,
            Compat::V9 => row.in_9,
        }
    }

    /// What this Puppet calls itself in messages.
    pub fn product(self) -> &'static str {
        if self.holds(Rule::CalledOpenVox) { "OpenVox" } else { "Puppet" }
    }

    /// What `$serverversion` is where nobody says otherwise.
    pub fn server_version(self) -> &'static str {
        match self {
            Compat::V7 => "7.23.0",
            Compat::V8 => "8.10.0",
            Compat::V9 => "9.0.0-rc1",
        }
    }

    /// Where messages send readers: the address of a page of the documentation, by its name without `.html`.
    pub fn documentation(self, page: &str) -> String {
        match self {
            Compat::V7 => format!("https://puppet.com/docs/puppet/7.23/{page}.html"),
            Compat::V8 => format!("https://puppet.com/docs/puppet/8.10/{page}.html"),
            Compat::V9 => format!("https://docs.openvoxproject.org/openvox/latest/{page}.html"),
        }
    }

    /// The version's number: 7, 8, 9.
    pub fn number(self) -> u8 {
        match self {
            Compat::V7 => 7,
            Compat::V8 => 8,
            Compat::V9 => 9,
        }
    }
}

impl fmt::Display for Compat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().fmt(f)
    }
}

impl FromStr for Compat {
    type Err = String;

    /// The version of a number.
    ///
    /// # Errors
    /// Says which there are when it is another.
    fn from_str(text: &str) -> Result<Compat, String> {
        let found = Compat::ALL.into_iter().find(|compat| compat.to_string() == text);
        found.ok_or_else(|| format!("There is no compat '{text}': it is 7, 8 or 9"))
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// What the rule is called in reports: its words joined by hyphens.
    pub name: &'static str,
    /// Whether it holds in 7.
    pub in_7: bool,
    /// Whether it holds in 8.
    pub in_8: bool,
    /// Whether it holds in 9.
    pub in_9: bool,
    /// What it says.
    pub meaning: &'static str,
}

macro_rules! yes_or_no {
    (yes) => {
        true
    };
    (no) => {
        false
    };
}

macro_rules! rules {
    ($($rule:ident $name:literal $in_7:ident $in_8:ident $in_9:ident $meaning:literal;)*) => {
        /// A rule that does not hold in all versions.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $(#[doc = $meaning] $rule,)*
        }

        impl Rule {
            /// All of them, in the table's order.
            pub const ALL: &[Rule] = &[$(Rule::$rule),*];

            /// Its row of the table.
            pub fn row(self) -> &'static Row {
                match self {
                    $(Rule::$rule => &Row {
                        name: $name,
                        in_7: yes_or_no!($in_7),
                        in_8: yes_or_no!($in_8),
                        in_9: yes_or_no!($in_9),
                        meaning: $meaning,
                    },)*
                }
            }
        }
    };
}

rules! {
    // rule, its name, in 7, in 8, in 9, what it says
    StrictByDefault "strict-by-default" no yes yes
        "strict is error and strict_variables is true where nobody says otherwise.";
    HieraVariablesFail "hiera-variables-fail" yes no no
        "An unknown variable in a path of hiera.yaml ends the look-up; otherwise it is a warning.";
    HieraSeesDefaultValues "hiera-sees-default-values" no yes yes
        "Interpolation in Hiera's data finds variables in the hash of default values.";
    HieraNamesStrangeKeys "hiera-names-strange-keys" no yes yes
        "The warning of keys that do not belong to a module names them.";
    EnvironmentDataProvider "environment-data-provider" yes yes no
        "environment.conf may name a data provider.";
    PublicKeyForDecryption "public-key-for-decryption" yes no no
        "hiera-eyaml needs the certificate to decrypt (eyaml 3); otherwise the private key will do (eyaml 4).";
    DuplicateKeysOfAnyKind "duplicate-keys-of-any-kind" no yes yes
        "The same key twice in a literal hash is a fault where it is a type, a negative number and so on, too.";
    NodePatternsSpellLookaround "node-patterns-spell-lookaround" no yes yes
        "The names of nodes given as patterns have (?…) in words, so that patterns with and without it do not clash.";
    NodePatternsInLowerCase "node-patterns-in-lower-case" no no yes
        "These words are in lower case; in capitals such a node is not found when it matches.";
    ComputedParameterTypesWarn "computed-parameter-types-warn" no yes yes
        "A type of a parameter that has to be computed is warned of.";
    SplitTakesSensitive "split-takes-sensitive" no yes yes
        "split takes a Sensitive text and keeps its parts so.";
    RegsubstTakesSensitive "regsubst-takes-sensitive" no no yes
        "regsubst takes Sensitive texts, and lists of them.";
    RegsubstEncodingWarns "regsubst-encoding-warns" no yes no
        "regsubst warns of its fifth argument, the encoding.";
    RegsubstTakesEncoding "regsubst-takes-encoding" yes yes no
        "regsubst takes a fifth argument, the encoding.";
    VersionsAreCompared "versions-are-compared" no yes yes
        "max and min compare versions, times and spans of time as such; otherwise as strings, with a warning.";
    AddedListsAreOfPairs "added-lists-are-of-pairs" no yes yes
        "A list of lists that is added to a hash has pairs in it, none with a key alone.";
    NamePatternIsPlain "name-pattern-is-plain" no yes yes
        "Messages show the pattern of type names with \\w, otherwise [\\w].";
    AttributesWithoutStutter "attributes-without-stutter" no yes yes
        "The message of a constructor that does not fit its type says 'any of the attributes', otherwise 'of the the'.";
    BlankJsonIsNamed "blank-json-is-named" no yes no
        "What is wrong with a blank text as JSON is the name of Ruby's error (8 reads JSON by MultiJson).";
    ComputedTypesAreFaults "computed-types-are-faults" no yes yes
        "Where classes are told, a parameter whose type has to be computed costs its file; otherwise the type is null.";
    EmptyMetadataIsNone "empty-metadata-is-none" no yes yes
        "A module whose metadata.json is empty is one without metadata; otherwise it is one whose metadata is no JSON.";
    GenerateNamesItsFolder "generate-names-its-folder" no yes yes
        "Where the folder of a program that generate is to run is not there, the message is Puppet's; otherwise the system's.";
    SyslogIsThere "syslog-is-there" yes yes no
        "Puppet has loaded Ruby's Syslog, so that code in Ruby may use it.";
    EnvironmentHelpersAreDeprecated "environment-helpers-are-deprecated" no no yes
        "Puppet::Util.get_env and its like warn that they are deprecated, in code in Ruby.";
    ServersTellTheirImplementation "servers-tell-their-implementation" no no yes
        "$server_facts has serverimplementation.";
    SameParameterIsNoticed "same-parameter-is-noticed" no no yes
        "A fact that a parameter of the node hides is told by a notice where both have the same value.";
    PlainCatalogs "plain-catalogs" yes no no
        "Catalogs have rich data in the form rich_data_json alone.";
    CompilersAreNamed "compilers-are-named" no yes yes
        "A server says with a catalog who has compiled it, and agents tell of that.";
    PsonIsThere "pson-is-there" yes no no
        "The command prints PSON, and code in Ruby may use it.";
    CalledOpenVox "called-openvox" no no yes
        "Messages name OpenVox, otherwise Puppet.";
    EmptyTextsAreFrozen "empty-texts-are-frozen" no yes yes
        "Code in Ruby may not change the empty text that $module_name is outside of modules, and undef in functions of the 3.x interface.";
    MissingNamesStay "missing-names-stay" yes yes no
        "In Ruby, `%` leaves a text as it is where a name it asks for is not in the hash.";
    PathsOfPlainDataGrow "paths-of-plain-data-grow" yes no no
        "Without rich data a second message of a resource begins with the path of the first.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read_again() {
        for compat in Compat::ALL {
            assert_eq!(compat.to_string().parse(), Ok(compat));
        }
        assert_eq!("10".parse::<Compat>(), Err("There is no compat '10': it is 7, 8 or 9".to_owned()));
        assert_eq!(Compat::default(), Compat::V8);
    }

    #[test]
    fn rules_differ_somewhere_and_have_names_of_their_own() {
        let mut names = std::collections::BTreeSet::new();
        for rule in Rule::ALL {
            let row = rule.row();
            assert!(names.insert(row.name), "{} stands twice", row.name);
            assert!(row.in_7 != row.in_8 || row.in_8 != row.in_9, "{} is no difference", row.name);
        }
    }
}
