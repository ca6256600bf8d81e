//! The byte form of an archive, drawn: what the writer writes and the reader reads in place.
//!
//! Numbers are little-endian; offsets count from the file's first byte, and every part begins at a multiple of
//! [`ALIGN`]. `spec/archive.md` is made from the tables here.
//!
//! ```text
//!      0 ┌──────────────────────────┐
//!        │ header, section table    │  one block; the only bytes that opening reads
//!   4096 ├──────────────────────────┤
//!        │ Text                     │┐
//!        │ Entries                  ││ the index: raw words, searched where they lie
//!        │ Places, Parts            ││
//!        │ Definitions, Provided    ││
//!        │ Literals                 │┘
//!        │ Info                     │  cold
//!        │ Units                    │  raw words, run where they lie
//!        │ Data                     │  raw words
//!        │ Findings, Metadata, Types│  cold
//!        │ Templates                │  bytes that the runtime knows to read
//!        │ Automata                 │  bytes that the regular expressions' part of the VM knows to read
//!        │ Texts                    │  bytes as they were in their files
//!        ├──────────────────────────┤
//!        │ Blocks                   │  a checksum for each 4096 bytes of all the above but the header
//!        └──────────────────────────┘
//! ```

use std::fmt;

/// The first eight bytes.
pub const MAGIC: [u8; 8] = *b"BNRUARC\n";
/// Version of the form.
pub const VERSION: u32 = 6;
/// Bytes of the header, and of what one checksum covers.
pub const BLOCK: usize = 4096;
/// What parts are aligned to.
pub const ALIGN: usize = 8;
/// Length of a compiler's fingerprint.
pub const FINGERPRINT: usize = 32;

/// Where the header has what: name, offset, bytes, meaning.
pub const HEADER: &[(&str, usize, usize, &str)] = &[
    ("magic", 0, 8, "`BNRUARC` and a line feed"),
    ("version", 8, 4, "version of the form"),
    ("sections", 12, 4, "number of sections"),
    ("length", 16, 8, "length of the file"),
    ("fingerprint", 24, 32, "of the compiler that made it"),
    ("table", 56, 16 * Section::ALL.len(), "offset and length of each section, 8 bytes each"),
    ("checksum", HEADER_SUM, 8, "XXH3 of the bytes in front of it"),
];
/// Offset of the section table.
pub const TABLE: usize = 56;
/// Offset of the header's checksum.
pub const HEADER_SUM: usize = TABLE + 16 * Section::ALL.len();

/// How a section is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectionForm {
    /// Records of so many words, used where they lie.
    Records(usize),
    /// Words, used where they lie.
    Words,
    /// Bytes, used where they lie.
    Bytes,
    /// Bincode, decoded on first need.
    Cold,
}

macro_rules! sections {
    ($($name:ident, $form:expr, $meaning:literal;)*) => {
        /// Sections in file order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs)]
        pub enum Section { $($name),* }

        impl Section {
            /// Every section.
            pub const ALL: [Section; [$(Section::$name),*].len()] = [$(Section::$name),*];

            /// How it is read, and what it holds.
            pub fn about(self) -> (SectionForm, &'static str) {
                match self { $(Section::$name => ($form, $meaning)),* }
            }
        }
    };
}

sections! {
    Text, SectionForm::Bytes, "paths and names";
    Entries, SectionForm::Records(ENTRY_WORDS), "files, folders and links, sorted by path";
    Places, SectionForm::Words, "numbers of entries, each one up, by the XXH3 of their paths, with its upper half";
    Parts, SectionForm::Records(PART_WORDS), "what a file was made into";
    Definitions, SectionForm::Records(DEFINITION_WORDS), "classes, defined types, functions, type aliases, sorted by name";
    Provided, SectionForm::Records(PROVIDED_WORDS), "files under the modules' `lib`, sorted by the path below the module; of those with the same, the first module's first";
    Literals, SectionForm::Records(LITERAL_WORDS), "regular expressions and texts of templates in code and data, each with what was made of it; sorted by text, then by section";
    Info, SectionForm::Cold, "what was built: one part";
    Units, SectionForm::Words, "bytecode of manifests and EPP templates, those given as text included: a unit each";
    Data, SectionForm::Words, "Hiera's configuration and data files";
    Findings, SectionForm::Cold, "warnings and errors of manifests and templates";
    Metadata, SectionForm::Cold, "dependencies of modules";
    Types, SectionForm::Cold, "signatures of resource types in Ruby";
    Templates, SectionForm::Bytes, "ERB templates and files of Ruby, lowered, or why they are Ruby's; those given as text where they could be lowered";
    Automata, SectionForm::Bytes, "of regular expressions: whether they match in texts that are ASCII";
    Texts, SectionForm::Bytes, "contents of files, embedded";
    Blocks, SectionForm::Bytes, "checksums";
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// Words of an entry; [`ENTRY`] says which.
pub const ENTRY_WORDS: usize = 19;
/// The words of an entry: first word, count, meaning.
pub const ENTRY: &[(usize, usize, &str)] = &[
    (0, 2, "offset and length of the path in Text"),
    (2, 1, "bits: 1 file, 2 folder, 4 reached by a symbolic link; 4 alone for a link that leads to neither"),
    (3, 2, "size of the file"),
    (5, 2, "first part and number of parts"),
    (7, 8, "SHA-256 of the content"),
    (15, 1, "offset in the path of the module's name, plus 1; 0 for what is in no module"),
    (16, 1, "permission bits of the file or folder, links followed"),
    (
        17,
        2,
        "offset and length in Text of what the symbolic link leads to, as it says it; 0 where it is no link",
    ),
];

/// Words of a part.
pub const PART_WORDS: usize = 4;
/// The words of a part.
pub const PART: &[(usize, usize, &str)] = &[
    (0, 1, "its section"),
    (1, 1, "offset in that section, in words"),
    (2, 1, "length in bytes"),
    (3, 1, "variant: format of data files"),
];

/// Words of a definition.
pub const DEFINITION_WORDS: usize = 6;
/// The words of a definition.
pub const DEFINITION: &[(usize, usize, &str)] = &[
    (0, 2, "offset and length of the name in Text"),
    (2, 1, "kind: 0 class, 1 defined type, 2 function, 3 type alias, 5 Object type, 6 type set"),
    (3, 1, "entry of its file"),
    (4, 1, "line"),
    (5, 1, "number of the definition in its unit"),
];

/// Words of a provided file.
pub const PROVIDED_WORDS: usize = 3;
/// The words of a provided file.
pub const PROVIDED: &[(usize, usize, &str)] =
    &[(0, 2, "offset and length in Text of the path below the module"), (2, 1, "entry of the file")];

/// Words of a literal.
pub const LITERAL_WORDS: usize = 5;
/// The words of a literal.
pub const LITERAL: &[(usize, usize, &str)] = &[
    (0, 2, "offset and length of the text in Text"),
    (
        2,
        1,
        "the section of what was made of it: Automata of a regular expression; Templates, Units of a template",
    ),
    (
        3,
        2,
        "offset in that section, in words, and length in bytes; length 0 of an automaton that would be large, or can't be made",
    ),
];

/// Bit of an entry: a file.
pub const FILE: u32 = 1;
/// Bit of an entry: a folder.
pub const FOLDER: u32 = 2;
/// Bit of an entry: reached by a symbolic link.
pub const LINK: u32 = 4;
