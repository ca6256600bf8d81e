//! The protocol between the compiler and a Ruby worker: its tables. The Rust side takes its enums from here, the Ruby side
//! its constants ([`ruby_source`]), and `spec/ruby-protocol.md` is made from them. An operation that is not in its table
//! is an error on either side.
//!
//! A message is a header of three words (its length without the header, its own number, the number of the message that it
//! answers or 0), its [`Message`] byte, and what that says. Numbers and sizes are little-endian. `size` is a byte, or 255
//! and a word; `text` is a size and so many bytes of UTF-8; `value` is a [`ValueTag`] byte and what that says.

/// What holds of a question beside what its row says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionFlag {
    /// Every variable is what it was before: what the worker has read of them still holds.
    Keeps,
    /// The answer is a value that code has. The array of any other answer is made for it, and nobody will know it again.
    Own,
}

/// A table of the protocol, as the page and the Ruby side are told of it.
#[derive(Clone, Copy, Debug)]
pub struct ProtocolTable {
    /// What the rows are, in one word.
    pub name: &'static str,
    /// Who sends them, and when.
    pub about: &'static str,
    /// The rows in order.
    pub rows: &'static [ProtocolRow],
}

/// A row of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProtocolRow {
    /// The byte that stands for it.
    pub byte: u8,
    /// Its name; of a request the name of the method that does it, in Ruby.
    pub name: &'static str,
    /// What it is sent with, in order.
    pub arguments: &'static [&'static str],
    /// What the answer is; empty where none is given.
    pub answer: &'static str,
    /// One line of meaning.
    pub meaning: &'static str,
    /// See [`QuestionFlag`].
    pub marks: &'static [QuestionFlag],
}

macro_rules! table {
    ($(#[$doc:meta])* $table:ident = $about:literal;
     $($byte:literal $row:ident $name:literal ($($argument:literal),*) $(=> $answer:literal)? $([$($mark:ident),+])? $meaning:literal;)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $table { $(#[doc = $meaning] $row),* }

        impl $table {
            /// The table.
            pub const TABLE: ProtocolTable = ProtocolTable {
                name: stringify!($table),
                about: $about,
                rows: &[$(ProtocolRow {
                    byte: $byte,
                    name: $name,
                    arguments: &[$($argument),*],
                    answer: concat!($($answer)?),
                    meaning: $meaning,
                    marks: &[$($(QuestionFlag::$mark),+)?],
                }),*],
            };

            /// What a byte stands for; none where it stands for nothing.
            pub const fn of_byte(byte: u8) -> Option<$table> {
                match byte {
                    $($byte => Some($table::$row),)*
                    _ => None,
                }
            }

            /// The byte that stands for it.
            pub const fn byte(self) -> u8 {
                self.row().byte
            }

            /// Its row.
            pub const fn row(self) -> &'static ProtocolRow {
                &$table::TABLE.rows[self as usize]
            }
        }
    };
}

table! {
    /// What a message is.
    Message = "The first byte of each message. Those numbered 0 come from the worker's first process.";
    b'h' Greeting "greeting" ("process: word") "Worker, numbered 0: this process waits for a compile.";
    b'x' Gone "gone" ("reason: text to the end") "Worker, numbered 0: the process of the compile has ended, for this reason.";
    b'c' Ask "ask" ("question: byte", "arguments: value") "Worker: a question, see Question.";
    b'r' Answer "answer" ("value") "Either: the answer to the message of that number.";
    b'e' Failure "failure" ("cause: byte", "what its row says") "Either: why there is no answer, see RubyFailure and CompileFailure.";
    b'd' Do "do" ("request: byte", "arguments: value") "Compiler: a request, see Request.";
    b'q' Over "over" () "Compiler: the compile is over, the process may go.";
}

table! {
    /// What the compiler asks of the worker.
    Request = "The compiler asks the worker, which answers with the method of that name. The arguments are one array.";
    1 Begin "begin_compile" ("node: String", "environment: String", "settings: Hash", "folders: Array of String") => "nil"
        "A compile begins; its Ruby is loaded from these folders.";
    2 LoadFunction "load_function" ("name: String", "file: String", "module: String", "stamp: String")
        => "chooses its signature itself: Boolean, local types: Array of String, dispatches: Array"
        "Loads the file of a function of the 4.x interface, or takes what was loaded from it when it had this stamp.";
    3 CallFunction "call_function" ("name: String", "module: String", "signature: Integer or nil", "scope: number", "arguments: Array", "block: lambda or nil")
        => "what the function yields" "Calls a loaded function by the signature of that number.";
    4 LoadOldFunction "load_old_function" ("name: String", "file: String") => "nil"
        "Loads the file of a function of the 3.x interface.";
    5 CallOldFunction "call_old_function" ("name: String", "scope: number", "arguments: Array") => "what the function yields"
        "Calls a function of the 3.x interface.";
    6 FileOfOldFunction "file_of_old_function" ("name: String") => "String or nil"
        "The file that has defined a function of the 3.x interface; nil where no file that was loaded has.";
    7 CallBlock "call_block" ("block: object", "arguments: Array") => "what the block yields"
        "Calls a block of Ruby that a function of the language was given.";
    8 LoadDataType "load_datatype" ("file: String", "name: String") => "name: String, interface: String, implemented: Boolean"
        "Loads the file of a data type and tells its interface, in the Puppet language.";
    9 MakeClass "class_for"
        ("type", "name: String", "parent: String or nil", "attributes: Array", "functions: Array of String", "equality: Array or nil", "equality includes the type: Boolean")
        => "takes a hash: Boolean, parameters: Array of String, class: String or nil"
        "Makes the class of an Object type; its parent's is there.";
    10 MakeInstance "make_instance" ("type: String", "arguments: Array", "from a hash: Boolean") => "the instance"
        "Makes an instance of a class.";
    11 CallMember "call_member" ("object", "name: String", "arguments: Array", "block: lambda or nil") => "what the member yields"
        "Calls a member of an instance.";
    12 LoadResourceType "load_resource_type" ("file: String", "name: String")
        => "name variables: Array, attributes: Array, isomorphic: Boolean, title patterns: Array of Array, or nil, files that were loaded: Array; or nil"
        "Runs the file of a resource type and tells what it declares; nil where that is no such type.";
    13 CheckSyntax "check_syntax" ("syntax: String", "text: String", "file: String or nil", "line: Integer or nil", "column: Integer or nil")
        => "errors: Integer, those that Puppet tells: Array of code, message, file, line and column"
        "Has the checkers of modules check a text.";
    14 Render "render_template" ("scope: number", "file: String or nil", "name: String or nil", "text: String or nil") => "String"
        "Renders an ERB template: a file, or a text.";
    15 ProcessReport "process_report" ("name: String", "file: String", "report: String") => "nil"
        "Hands the report of an agent's run, as JSON, to the processor that a file defines.";
    16 Become "become" ("number: Integer", "items: Array or Hash") => "nil"
        "The array or hash of a number has been changed in place, without Ruby: these are its items now.";
    17 LookUpDefaults "look_up_defaults" ("scope: number", "type: String") => "Array of name and value"
        "Calls the `lookupdefaults` of a scope that Ruby has written anew.";
    18 LoadFiles "load_files" ("files: Array of String") => "nil"
        "Loads files that code has required which was run without Ruby: other code may use what they define. Two names are a class and a module that has been put in front of it.";
    19 CheckLoading "check_loading" ("places: Array of kind, file, text and line")
        => "number: Integer, message: String, or nil" "The first of the places in files of resource types that raises when it is run, and what is raised.";
}

table! {
    /// What the worker asks of the compiler, before it answers.
    Question = "The worker asks the compiler, while it has not answered yet. The arguments are one array.";
    1 Function "function" ("scope: number", "name: String", "module: String", "arguments: Array", "block", "caller: String or nil") => "what it yields" [Own]
        "Calls a function as code of a module sees it.";
    2 Builtin "builtin" ("scope: number", "name: String", "arguments: Array", "block") => "what it yields" [Own]
        "Calls a function of the language, or logs where the name is that of a level.";
    3 Block "block" ("lambda", "arguments: Array") => "what it yields" [Own] "Calls a lambda.";
    4 Dispatch "dispatch" ("function: String", "module: String", "arguments: Array", "block: lambda or nil") => "Integer"
        "The number of the first signature of a loaded function that takes the arguments.";
    5 Returned "returned" ("function: String", "module: String", "signature: Integer", "result") => "nil"
        "Whether a result has the type that the signature says: an error if not.";
    6 Variable "variable" ("scope: number", "name: String") => "found: Boolean, value, name that is told where there is none: String, reason: String or nil" [Keeps]
        "A variable by its simple or qualified name.";
    7 Variables "variables" ("scope: number", "names: Array or nil") => "Hash" [Keeps]
        "The variables that have a value: those of these names, or all.";
    8 Set "set" ("scope: number", "name: String", "value") => "Boolean" "Sets a variable; false where the scope has it already.";
    9 Bound "bound" ("scope: number", "name: String") => "Boolean" [Keeps] "Whether the scope itself has a variable.";
    10 Changed "changed" ("scope: number", "name: String", "value") => "nil" [Keeps] "Ruby has changed the value of a variable in place.";
    11 Mutated "mutated" ("scope: number", "arrays and hashes: Array") => "nil" [Keeps] "Ruby has changed these in place.";
    12 Scope "scope" ("scope: number") => "resource or nil, definition or nil, module: String or nil, parent: number or nil, kind: String"
        "What a scope is.";
    13 Defaults "defaults" ("scope: number", "type: String", "as Puppet's own method gives them: Boolean") => "Array of name and value"
        "The defaults of a resource type, as a scope sees them; whatever Ruby has made of the scope's `lookupdefaults`, if it says so.";
    14 Resource "resource" ("type: String", "title: String") => "resource or nil" "A resource of the catalog.";
    15 Resources "resources" () => "Array of resources" "All resources of the catalog.";
    16 Classes "classes" () => "Array of String" "The classes that have been evaluated.";
    17 Tags "tags" () => "Array of String" "The tags of the catalog.";
    18 Definition "definition" ("kind: class or define", "name: String") => "definition or nil" "A class or defined type, loaded if need be.";
    19 ClassScope "class_scope" ("name: String") => "number or nil" "The scope of a class that has been evaluated.";
    20 Reference "reference" ("type: String", "title: String") => "type" "The reference to a resource, as a parameter holds it.";
    21 Type "type" ("text: String", "local types: Array of String") => "type" "The type that a text says.";
    22 KindOfType "type?" ("name: String") => "`builtin`, `define` or nil" "What kind of resource type a name is.";
    23 TypeParts "parts" ("type") => "Hash" "What a type is made of, by the readers of Puppet's classes of types.";
    24 TypeEqual "type_equal" ("type", "type") => "Boolean" "Whether two types are equal.";
    25 Instance "instance" ("type", "value") => "Boolean" "Whether a value is of a type.";
    26 Assignable "assignable" ("type", "type") => "Boolean" "Whether every value of the second is one of the first.";
    27 Generalize "generalize" ("type") => "type" "The type without what says too much.";
    28 Infer "infer" ("value", "of all elements: Boolean") => "type" "The type of a value.";
    29 Mismatch "mismatch" ("name: String", "type", "type") => "String" "What is wrong with a value of the second type where the first is wanted.";
    30 Assert "assert" ("subject: String", "type", "value") => "nil" "Whether a value is of a type: an error if not.";
    31 Iterate "iterate" ("value") => "Array or nil" "The elements of what can be iterated over.";
    32 Make "make" ("type: String", "arguments: Array") => "value" "`new` of a type.";
    33 FromHash "from_hash" ("type", "hash") => "value" "An instance made of a hash of its attributes.";
    34 Text "text" ("value") => "String" "The text of a value, as interpolation has it.";
    35 ToData "to_data" ("value") => "value" "The value as rich data.";
    36 Less "less" ("value", "value") => "Boolean" "Whether the first is less than the second.";
    37 Match "match" ("value", "pattern") => "Boolean" "Whether a value matches, as `=~` says.";
    38 Context "context" ("context: number", "method: String", "argument") => "what it yields" [Own] "A method of a look-up's context.";
    39 Plugins "plugins" () => "Array of module and file" "The files that extend the registry of checkers.";
    40 Syntax "syntax" ("checker: String", "syntax: String", "text: String") => "code: String or nil, message: String or nil"
        "What one of Puppet's own checkers says of a text.";
    41 Log "log" ("level: String", "message: String") => "nil" [Keeps] "Logs a message.";
    42 WarnOnce "warn_once" ("level: String", "key: String", "message: String", "place: String or nil") => "nil" [Keeps]
        "Logs a message unless one of the key has been logged.";
    43 Deprecation "deprecation" ("key: String", "message: String", "place: String") => "nil" [Keeps] "Warns once of something deprecated.";
    44 Setting "setting" ("name: String") => "symbol: Boolean, value; or nil" [Keeps] "A setting of Puppet's.";
    45 Fact "fact" ("name: String") => "value" "A fact.";
    46 Facts "facts" () => "Hash" "All facts.";
    47 Stack "stack" () => "Array of file and line" "Where in Puppet code the call stands.";
    48 Module "module" ("name: String") => "String or nil" "The folder of a module.";
    49 Modules "modules" () => "Array of name and folder" "All modules.";
    50 Modulepath "modulepath" () => "Array of String" "The folders that modules lie in.";
    51 Manifest "manifest" () => "String or nil" "The environment's manifest.";
    52 File "file" ("folder: files or templates", "name: String") => "String or nil" "The file of a module by the name that code gives it.";
    53 Compute "compute" ("name: String", "arguments: Array") => "value" [Keeps]
        "What a function of the language gives: for methods of Ruby that do the same, whose code calls no function.";
    54 DefaultsAreRuby "defaults_are_ruby" ("scope: number") => "nil" [Keeps] "Ruby has written `lookupdefaults` of a scope anew.";
    55 OwnDefaults "own_defaults" ("scope: number", "type: String") => "Array of name and value"
        "The defaults of a resource type that the scope itself has.";
    56 SetDefault "set_default" ("scope: number", "type: String", "name: String", "value") => "nil" [Keeps] "Sets a default of a scope.";
    57 Titled "titled" ("type: String", "title: String") => "Hash of String" "What the title of a resource says of its parameters.";
    58 ResourceScope "resource_scope" ("type: String", "title: String") => "number or nil" "The scope that has declared a resource of the catalog.";
    59 FunctionKnown "function?" ("name: String", "module: String") => "Boolean" [Keeps] "Whether code of a module sees a function of a name.";
}

table! {
    /// Why the worker does not answer.
    RubyFailure = "Behind the byte of a failure that the worker sends.";
    1 Carried "CARRIED" ("error: integer") "An error of the compiler's that has come through Ruby, by the number it was sent with.";
    2 Raised "RAISED" ("message: text", "top: text", "[file, line]: value", "class: text", "exception: integer") "A StandardError.";
    3 Uncaught "UNCAUGHT" ("message: text", "top: text", "[file, line]: value", "class: text", "exception: integer") "An error that is no StandardError.";
    4 NoSuchKey "NO_SUCH_KEY" ("message: text", "top: text", "[file, line]: value", "class: text", "exception: integer") "A Hiera backend does not have the key.";
    5 NoMethod "NO_METHOD" ("message: text", "top: text", "[file, line]: value", "class: text", "exception: integer") "A `NoMethodError`: a value has no method of that name.";
    6 TimeLimit "TIME_LIMIT" ("message: text", "top: text", "[file, line]: value", "class: text", "exception: integer") "The code has run for too long. The process is not used again, as with all below.";
    7 NoMemory "NO_MEMORY" ("message: text", "top: text", "[file, line]: value", "class: text", "exception: integer") "The code needs more memory than it may have.";
    8 Exit "EXIT" ("message: text", "top: text", "[file, line]: value", "class: text", "exception: integer") "The code has called `exit`.";
    9 Spoilt "SPOILT" ("message: text", "top: text", "[file, line]: value", "class: text", "exception: integer") "The stack was too deep, or a signal came: the message begins with the class.";
    10 Formed "FORMED" ("message: text", "top: text", "[file, line]: value", "class: text", "exception: integer") "A `Puppet::PreformattedError`: nothing is put around it.";
    11 LookUp "LOOK_UP" ("message: text", "top: text", "[file, line]: value", "class: text", "exception: integer") "A `Puppet::DataBinding::LookupError`, likewise.";
    12 Puppet "PUPPET" ("message: text", "top: text", "[file, line]: value", "class: text", "exception: integer") "A `Puppet::Error`: within a look-up it is that one's error.";
    13 Load "LOAD" ("message: text", "top: text", "[file, line]: value", "class: text", "exception: integer") "A function that cannot be loaded.";
}

table! {
    /// Why the compiler does not answer. The error itself stays here, under a number.
    CompileFailure = "Behind the byte of a failure that the compiler sends.";
    1 Fault "FAULT" ("error: integer", "message: text", "class: text", "exception: integer", "top: text", "file: text", "line: integer")
        "An error of a class; the exception of that number, where it is not below 0; the place in Ruby and that in Puppet code, where they are known.";
    2 NoSuchKey "NO_SUCH_KEY" ("error: integer", "message: text") "A look-up has found nothing: Ruby throws what look-ups catch.";
    3 Break "BREAK" ("error: integer", "message: text") "A `break()` on its way out.";
    4 Next "NEXT" ("error: integer", "message: text") "A `next()` on its way out.";
    5 Return "RETURN" ("error: integer", "message: text") "A `return()` on its way out.";
}

table! {
    /// How a value is written.
    ValueTag = "The first byte of each value.";
    0 Undef "UNDEF" () "`undef`, nil.";
    1 True "TRUE" () "`true`.";
    2 False "FALSE" () "`false`.";
    3 Integer "INTEGER" ("i64") "An integer.";
    4 Float "FLOAT" ("f64") "A float.";
    5 String "STRING" ("text") "A string.";
    6 Array "ARRAY" ("size", "values") "An array that nobody will know again: that of arguments, that of an answer.";
    7 Hash "HASH" ("size", "keys and values") "A hash that nobody will know again.";
    8 Default "DEFAULT" () "`default`.";
    9 Sensitive "SENSITIVE" ("value") "A Sensitive.";
    10 Regexp "REGEXP" ("text") "A regular expression: what stands between the slashes.";
    11 Type "TYPE" ("number", "kind: text", "the type: text", "type name: value", "title: value")
        "A type, or, of the kind `Held`, a reference that a parameter holds; from Ruby the number only.";
    12 Timestamp "TIMESTAMP" ("seconds: i64", "nanoseconds: i64") "A Timestamp.";
    13 Timespan "TIMESPAN" ("seconds: i64", "nanoseconds: i64") "A Timespan.";
    14 Version "VERSION" ("text") "A SemVer.";
    15 Range "RANGE" ("text") "A SemVerRange.";
    16 Binary "BINARY" ("size", "bytes") "A Binary.";
    17 Uri "URI" ("text") "A URI.";
    18 Lambda "LAMBDA" ("number", "arity: i64", "parameters: text") "A lambda; from Ruby the number only.";
    19 Object "OBJECT" ("number", "type name: text", "attributes: value") "An object of the language's; from Ruby the number only.";
    20 Scope "SCOPE" ("number") "A scope.";
    21 Foreign "FOREIGN" ("number", "class: text", "its text: text") "An object of Ruby's; to Ruby the number only.";
    22 Instance "INSTANCE" ("number", "type name: text", "attributes: value", "what a catalog says of it: value", "its class and its text, if that is no object of Puppet's: value") "An instance of a data type in Ruby; from Ruby only.";
    23 Bytes "BYTES" ("size", "bytes") "A string whose encoding is that of bytes.";
    24 KnownArray "KNOWN_ARRAY" ("number", "size", "values") "An array that either side will know again.";
    25 KnownHash "KNOWN_HASH" ("number", "size", "keys and values") "A hash that either side will know again.";
    26 Again "AGAIN" ("number") "An array or a hash that the other side knows.";
    27 Named "NAMED" ("class: text", "its text: text") "A symbol, a class or a module of Ruby's; to Ruby only.";
    28 Frozen "FROZEN" ("value") "An array, a hash or a string that nothing may change, as all in `$facts` and strings in single quotes; to Ruby only.";
}

/// All tables, in the order of the page.
pub const TABLES: [ProtocolTable; 6] = [
    Message::TABLE,
    Request::TABLE,
    Question::TABLE,
    RubyFailure::TABLE,
    CompileFailure::TABLE,
    ValueTag::TABLE,
];

impl Question {
    /// The question of a name; none where there is none.
    pub fn of_name(name: &str) -> Option<Question> {
        let row = Question::TABLE.rows.iter().find(|row| row.name == name)?;
        Question::of_byte(row.byte)
    }

    /// Whether the question is marked so.
    pub fn has(self, mark: QuestionFlag) -> bool {
        self.row().marks.contains(&mark)
    }
}

/// What the Ruby side takes from the tables, as the source of its first file. A row of requests is its method's name and
/// how many arguments it takes, by its byte; one of questions its byte, how many arguments it takes and whether variables
/// stay what they were, by its name; the rows of other tables are constants.
pub fn ruby_source() -> String {
    let mut source =
        String::from("# Made from the tables of the protocol.\n\nmodule Bunraku\n  module Protocol\n");
    source.push_str("    REQUESTS = {\n");
    for row in Request::TABLE.rows {
        source.push_str(&format!("      {} => [:{}, {}],\n", row.byte, row.name, row.arguments.len()));
    }
    source.push_str("    }.freeze\n    QUESTIONS = {\n");
    for row in Question::TABLE.rows {
        let keeps = row.marks.contains(&QuestionFlag::Keeps);
        source.push_str(&format!(
            "      '{}' => [{}, {}, {keeps}],\n",
            row.name,
            row.byte,
            row.arguments.len()
        ));
    }
    source.push_str("    }.freeze\n");
    for table in [Message::TABLE, RubyFailure::TABLE, CompileFailure::TABLE, ValueTag::TABLE] {
        source.push_str(&format!("    module {}\n", table.name));
        for row in table.rows {
            source.push_str(&format!("      {} = {}\n", row.name.to_uppercase(), row.byte));
        }
        source.push_str("    end\n");
    }
    source.push_str("  end\nend\n");
    source
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_and_each_name_stands_for_one_row() {
        for table in TABLES {
            for (n, row) in table.rows.iter().enumerate() {
                let others = &table.rows[..n];
                assert!(others.iter().all(|other| other.byte != row.byte), "{}: {row:?}", table.name);
                assert!(others.iter().all(|other| other.name != row.name), "{}: {row:?}", table.name);
            }
        }
    }

    #[test]
    fn a_byte_is_its_row_or_nothing() {
        for byte in 0..=u8::MAX {
            let row = |of: Option<&'static ProtocolRow>| of.map(|row| row.byte);
            let in_table =
                |table: ProtocolTable| table.rows.iter().any(|row| row.byte == byte).then_some(byte);
            assert_eq!(row(Message::of_byte(byte).map(Message::row)), in_table(Message::TABLE));
            assert_eq!(row(Request::of_byte(byte).map(Request::row)), in_table(Request::TABLE));
            assert_eq!(row(Question::of_byte(byte).map(Question::row)), in_table(Question::TABLE));
            assert_eq!(row(RubyFailure::of_byte(byte).map(RubyFailure::row)), in_table(RubyFailure::TABLE));
            assert_eq!(
                row(CompileFailure::of_byte(byte).map(CompileFailure::row)),
                in_table(CompileFailure::TABLE)
            );
            assert_eq!(row(ValueTag::of_byte(byte).map(ValueTag::row)), in_table(ValueTag::TABLE));
        }
    }
}
