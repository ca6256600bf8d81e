//! The classes and modules that are there without being defined: Ruby's own, those of its library, and Puppet's.

macro_rules! classes {
    ($($class:ident = $name:literal $(< $super:ident)?,)*) => {
        /// A class or module that Ruby, its library or Puppet has.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Class { $($class,)* }

        impl Class {
            /// All of them, by their numbers, with their names.
            pub const ALL: &'static [(Class, &'static str)] = &[$((Class::$class, $name),)*];

            /// The class of a name, as it is written in full.
            pub fn by_name(name: &str) -> Option<Class> {
                Some(match name {
                    $($name => Class::$class,)*
                    "Psych" => Class::Yaml,
                    _ => return None,
                })
            }

            /// What it inherits from; none of modules and of `Object`.
            pub fn superclass(self) -> Option<Class> {
                match self {
                    $($(Class::$class => Some(Class::$super),)?)*
                    _ => None,
                }
            }
        }
    };
}

classes! {
    String = "String" < Object,
    Symbol = "Symbol" < Object,
    Integer = "Integer" < Numeric,
    Float = "Float" < Numeric,
    Numeric = "Numeric" < Object,
    Array = "Array" < Object,
    Hash = "Hash" < Object,
    Nil = "NilClass" < Object,
    True = "TrueClass" < Object,
    False = "FalseClass" < Object,
    Range = "Range" < Object,
    Regexp = "Regexp" < Object,
    MatchData = "MatchData" < Object,
    Enumerable = "Enumerable",
    Comparable = "Comparable",
    Kernel = "Kernel",
    Object = "Object",
    Module = "Module" < Object,
    OfClasses = "Class" < Module,
    Proc = "Proc" < Object,
    Method = "Method" < Object,
    Enumerator = "Enumerator" < Object,
    Struct = "Struct" < Object,
    Time = "Time" < Object,
    Date = "Date" < Object,
    DateTime = "DateTime" < Date,
    Random = "Random" < Object,
    Math = "Math",
    File = "File" < Object,
    Dir = "Dir" < Object,
    Process = "Process",
    Socket = "Socket" < Object,
    Exception = "Exception" < Object,
    StandardError = "StandardError" < Exception,
    ArgumentError = "ArgumentError" < StandardError,
    TypeError = "TypeError" < StandardError,
    RuntimeError = "RuntimeError" < StandardError,
    FrozenError = "FrozenError" < RuntimeError,
    NameError = "NameError" < StandardError,
    NoMethodError = "NoMethodError" < NameError,
    IndexError = "IndexError" < StandardError,
    KeyError = "KeyError" < IndexError,
    StopIteration = "StopIteration" < IndexError,
    RangeError = "RangeError" < StandardError,
    FloatDomainError = "FloatDomainError" < RangeError,
    ZeroDivisionError = "ZeroDivisionError" < StandardError,
    RegexpError = "RegexpError" < StandardError,
    IoError = "IOError" < StandardError,
    EncodingError = "EncodingError" < StandardError,
    FiberError = "FiberError" < StandardError,
    ThreadError = "ThreadError" < StandardError,
    SystemCallError = "SystemCallError" < StandardError,
    NoEntry = "Errno::ENOENT" < SystemCallError,
    NoAccess = "Errno::EACCES" < SystemCallError,
    UncaughtThrowError = "UncaughtThrowError" < ArgumentError,
    NotImplementedError = "NotImplementedError" < ScriptError,
    ScriptError = "ScriptError" < Exception,
    LoadError = "LoadError" < ScriptError,
    SyntaxError = "SyntaxError" < ScriptError,
    SecurityError = "SecurityError" < Exception,
    SystemExit = "SystemExit" < Exception,
    NoMemoryError = "NoMemoryError" < Exception,
    Json = "JSON",
    JsonError = "JSON::JSONError" < StandardError,
    JsonParserError = "JSON::ParserError" < JsonError,
    JsonGeneratorError = "JSON::GeneratorError" < JsonError,
    Pson = "PSON",
    PsonError = "PSON::PSONError" < StandardError,
    PsonParserError = "PSON::ParserError" < PsonError,
    Yaml = "YAML",
    YamlError = "Psych::Exception" < RuntimeError,
    YamlSyntaxError = "Psych::SyntaxError" < YamlError,
    Digest = "Digest",
    DigestMd5 = "Digest::MD5" < Object,
    DigestSha1 = "Digest::SHA1" < Object,
    DigestSha256 = "Digest::SHA256" < Object,
    DigestSha384 = "Digest::SHA384" < Object,
    DigestSha512 = "Digest::SHA512" < Object,
    Base64 = "Base64",
    Shellwords = "Shellwords",
    SecureRandom = "SecureRandom",
    Zlib = "Zlib",
    Cgi = "CGI" < Object,
    Erb = "ERB" < Object,
    ErbUtil = "ERB::Util",
    Uri = "URI",
    UriParser = "URI::RFC2396_Parser" < Object,
    UriError = "URI::Error" < StandardError,
    InvalidUri = "URI::InvalidURIError" < UriError,
    IpAddr = "IPAddr" < Object,
    IpError = "IPAddr::Error" < ArgumentError,
    IpInvalidAddress = "IPAddr::InvalidAddressError" < IpError,
    IpInvalidPrefix = "IPAddr::InvalidPrefixError" < IpInvalidAddress,
    IpFamily = "IPAddr::AddressFamilyError" < IpError,
    Gem = "Gem",
    GemRequirement = "Gem::Requirement" < Object,
    GemDependency = "Gem::Dependency" < Object,
    OpenSsl = "OpenSSL",
    Puppet = "Puppet",
    PuppetSettings = "Puppet::Settings" < Object,
    PuppetError = "Puppet::Error" < RuntimeError,
    ParseError = "Puppet::ParseError" < PuppetError,
    ErrorWithData = "Puppet::ErrorWithData" < PuppetError,
    ParseErrorWithIssue = "Puppet::ParseErrorWithIssue" < ParseError,
    PreformattedError = "Puppet::PreformattedError" < ParseErrorWithIssue,
    ResourceError = "Puppet::ResourceError" < PuppetError,
    DevError = "Puppet::DevError" < PuppetError,
    TypeAssertionError = "Puppet::Pops::Types::TypeAssertionError" < PuppetError,
    PuppetDataBinding = "Puppet::DataBinding" < Object,
    LookupError = "Puppet::DataBinding::LookupError" < PreformattedError,
    RecursiveLookupError = "Puppet::DataBinding::RecursiveLookupError" < LookupError,
    PuppetUtil = "Puppet::Util",
    PuppetUtilJson = "Puppet::Util::Json",
    PuppetUtilJsonParseError = "Puppet::Util::Json::ParseError" < StandardError,
    PuppetUtilErrors = "Puppet::Util::Errors",
    PuppetUtilPackage = "Puppet::Util::Package",
    PuppetUtilExecution = "Puppet::Util::Execution",
    PuppetUtilLog = "Puppet::Util::Log" < Object,
    PuppetParser = "Puppet::Parser",
    ParserFunctions = "Puppet::Parser::Functions",
    FunctionsLoader = "Puppet::Parser::Functions::Loader",
    Env = "ENV",
    ParserScope = "Puppet::Parser::Scope" < Object,
    PuppetFunctions = "Puppet::Functions",
    Function = "Puppet::Functions::Function" < PopsFunction,
    InternalFunction = "Puppet::Functions::InternalFunction" < Function,
    PuppetPops = "Puppet::Pops",
    PopsFunctions = "Puppet::Pops::Functions",
    PopsFunction = "Puppet::Pops::Functions::Function" < Object,
    PopsTypes = "Puppet::Pops::Types",
    PuppetStack = "Puppet::Pops::PuppetStack",
    SensitiveType = "Puppet::Pops::Types::PSensitiveType" < Object,
    Sensitive = "Puppet::Pops::Types::PSensitiveType::Sensitive" < Object,
    TypeFactory = "Puppet::Pops::Types::TypeFactory",
    PopsSerialization = "Puppet::Pops::Serialization",
    Iterable = "Puppet::Pops::Types::Iterable",
    PuppetNode = "Puppet::Node",
    PopsEvaluator = "Puppet::Pops::Evaluator",
    Dispatcher = "Puppet::Pops::Functions::Dispatcher" < Object,
    Bunraku = "Bunraku",
    CompileOfBunraku = "Bunraku::Compile" < Object,
    Gaps = "Bunraku::Gaps",
    GlobalScope = "Bunraku::GlobalScope" < Object,
    LookupContext = "Puppet::LookupContext" < Object,
    SemanticPuppet = "SemanticPuppet",
    Facter = "Facter",
    Resolv = "Resolv" < Object,
    ResolvIpv6 = "Resolv::IPv6" < Object,
    PuppetX = "PuppetX",
    PuppetXStdlib = "PuppetX::Stdlib",
    BinaryType = "Puppet::Pops::Types::PBinaryType" < Object,
    Binary = "Puppet::Pops::Types::PBinaryType::Binary" < Object,
}

impl Class {
    /// Its name, as Ruby says it.
    pub fn name(self) -> &'static str {
        match self {
            Class::Yaml => "Psych",
            class => Class::ALL.get(class as usize).map_or("", |(_, name)| name),
        }
    }

    /// Whether it is a module and no class.
    pub fn is_module(self) -> bool {
        self.superclass().is_none() && self != Class::Object
    }

    /// Whether instances of `class` are of this class or module.
    pub fn covers(self, class: Class) -> bool {
        use Class::{
            Array, Comparable, Date, Enumerable, Hash, Kernel, Numeric, Range, String, Struct, Symbol, Time,
        };
        let mut at = Some(class);
        while let Some(one) = at {
            if one == self {
                return true;
            }
            let has = match self {
                Comparable => {
                    matches!(one, Numeric | String | Symbol | Time | Date | Class::IpAddr)
                }
                Enumerable => {
                    matches!(one, Array | Hash | Range | Struct | Class::Enumerator | Class::Dir)
                }
                Kernel => one == Class::Object,
                _ => false,
            };
            if has {
                return true;
            }
            at = one.superclass();
        }
        false
    }

    /// Whether it needs nothing to be loaded: it is Ruby's own, or all versions of Puppet have loaded it themselves.
    pub fn is_always_there(self) -> bool {
        let number = self as usize;
        number <= Class::Object as usize
            || (Class::Exception as usize..=Class::NoMemoryError as usize).contains(&number)
            || matches!(
                self,
                Class::Proc
                    | Class::Puppet
                    | Class::PuppetError
                    | Class::ParseError
                    | Class::File
                    | Class::Math
                    | Class::Random
                    | Class::SecureRandom
                    | Class::Json
                    | Class::JsonError
                    | Class::JsonParserError
                    | Class::JsonGeneratorError
                    | Class::Yaml
                    | Class::YamlError
                    | Class::YamlSyntaxError
                    | Class::Digest
                    | Class::DigestMd5
                    | Class::DigestSha1
                    | Class::DigestSha256
                    | Class::DigestSha384
                    | Class::DigestSha512
                    | Class::Base64
                    | Class::Cgi
                    | Class::ErbUtil
                    | Class::Uri
                    | Class::InvalidUri
                    | Class::IpAddr
                    | Class::IpError
                    | Class::IpInvalidAddress
                    | Class::IpInvalidPrefix
                    | Class::IpFamily
                    | Class::ParserFunctions
                    | Class::Resolv
                    | Class::ResolvIpv6
            )
    }

    /// Whether its instances are exceptions.
    pub fn is_exception(self) -> bool {
        Class::Exception.covers(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_agree() {
        for (number, (class, name)) in Class::ALL.iter().enumerate() {
            assert_eq!(*class as usize, number);
            assert_eq!(Class::by_name(name), Some(*class));
        }
    }

    #[test]
    fn a_class_covers_what_inherits_from_it() {
        assert!(Class::StandardError.covers(Class::ParseError));
        assert!(Class::Comparable.covers(Class::Integer));
        assert!(Class::Object.covers(Class::IpFamily));
        assert!(Class::Kernel.covers(Class::Hash));
        assert!(!Class::ParseError.covers(Class::PuppetError));
        assert!(!Class::Enumerable.covers(Class::String));
        assert!(Class::Json.is_module() && !Class::Object.is_module());
    }
}
