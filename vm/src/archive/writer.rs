//! Makes an archive's bytes. The same input gives the same bytes, in whatever order it is given.

use super::layout::{ALIGN, BLOCK, FINGERPRINT, HEADER_SUM, MAGIC, Section, TABLE, VERSION};
use super::places;
use std::collections::{BTreeMap, HashMap};
use xxhash_rust::xxh3::xxh3_64;

/// A file, folder or link to be written.
#[derive(Clone, Debug, Default)]
pub struct EntrySpec {
    /// Its path; see `Entry::path`.
    pub path: String,
    /// Bits `FILE`, `FOLDER`, `LINK`.
    pub bits: u32,
    /// Size of a file.
    pub size: u64,
    /// SHA-256 of a file's content.
    pub hash: [u8; 32],
    /// Offset in the path of the module's name.
    pub module_at: Option<usize>,
    /// Permission bits of the file or folder, links followed.
    pub mode: u32,
    /// What the symbolic link leads to, as it says it; nothing where it is no link.
    pub target: String,
    /// What it was made into.
    pub parts: Vec<PartSpec>,
    /// Its definitions: name, kind, line, number in its unit.
    pub definitions: Vec<(String, u32, u32, u32)>,
}

/// A part to be written.
#[derive(Clone, Debug)]
pub struct PartSpec {
    /// Its section.
    pub section: Section,
    /// Format of data.
    pub variant: u32,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Texts, each once.
#[derive(Default)]
struct Texts {
    bytes: Vec<u8>,
    known: HashMap<String, u32>,
}

impl Texts {
    /// Offset and length.
    fn add(&mut self, text: &str) -> [u32; 2] {
        let at = *self.known.entry(text.to_owned()).or_insert_with(|| {
            let at = self.bytes.len() as u32;
            self.bytes.extend_from_slice(text.as_bytes());
            at
        });
        [at, text.len() as u32]
    }
}

/// What was made of texts in code and data, by the text and the section that it is for.
pub type Literals = BTreeMap<(String, Section), Vec<u8>>;

/// The files that modules have below `lib`: the path below the module, and which of the entries the file is. Sorted by path; of several
/// with the same the first module's comes first.
pub type Provided<'p> = Vec<(&'p str, usize)>;

/// The archive of some entries; `info` is the one part of section Info.
///
/// # Errors
/// When a section is larger than offsets reach: 16 GiB, or 4 GiB of paths and names.
pub fn write(
    entries: Vec<EntrySpec>,
    provided: &Provided<'_>,
    info: Vec<u8>,
    literals: &Literals,
    fingerprint: &[u8; FINGERPRINT],
) -> Result<Vec<u8>, String> {
    let mut order: Vec<(usize, EntrySpec)> = entries.into_iter().enumerate().collect();
    order.sort_by(|(_, a), (_, b)| a.path.cmp(&b.path));
    let (given, entries): (Vec<usize>, Vec<EntrySpec>) = order.into_iter().unzip();
    let mut sections: [Vec<u8>; Section::ALL.len()] = std::array::from_fn(|_| Vec::new());
    let mut texts = Texts::default();
    let (mut parts, mut definitions) = (0u32, Vec::new());
    sections[Section::Info as usize] = info;
    for (number, entry) in entries.iter().enumerate() {
        let path = texts.add(&entry.path);
        let module = entry.module_at.map_or(0, |at| at as u32 + 1);
        let count = entry.parts.len() as u32;
        let words =
            [path[0], path[1], entry.bits, entry.size as u32, (entry.size >> 32) as u32, parts, count];
        let out = &mut sections[Section::Entries as usize];
        out.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        out.extend(entry.hash);
        let [at, len] = if entry.target.is_empty() { [0; 2] } else { texts.add(&entry.target) };
        out.extend([module, entry.mode, at, len].iter().flat_map(|word| word.to_le_bytes()));
        parts += count;
        for part in &entry.parts {
            let section = &mut sections[part.section as usize];
            let words = [
                part.section as u32,
                begin(section, part.section)?,
                u32::try_from(part.bytes.len()).map_err(|_| format!("{} is too large", entry.path))?,
                part.variant,
            ];
            section.extend_from_slice(&part.bytes);
            sections[Section::Parts as usize].extend(words.iter().flat_map(|word| word.to_le_bytes()));
        }
        for (name, kind, line, of_unit) in &entry.definitions {
            definitions.push((name, *kind, number as u32, *line, *of_unit));
        }
    }
    sections[Section::Places as usize] =
        places::table(&entries).iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
    definitions.sort();
    for (name, kind, entry, line, of_unit) in definitions {
        let [at, len] = texts.add(name);
        let words = [at, len, kind, entry, line, of_unit];
        sections[Section::Definitions as usize].extend(words.iter().flat_map(|word| word.to_le_bytes()));
    }
    let mut numbers = vec![0; given.len()];
    (0..).zip(given).for_each(|(number, given)| numbers[given] = number);
    for (name, given) in provided {
        let number = *numbers.get(*given).ok_or("a provided file has no entry")?;
        let [at, len] = texts.add(name);
        sections[Section::Provided as usize]
            .extend([at, len, number].iter().flat_map(|word| word.to_le_bytes()));
    }
    for ((text, section), made) in literals {
        let [at, len] = texts.add(text);
        let begin = begin(&mut sections[*section as usize], *section)?;
        let length = u32::try_from(made.len()).map_err(|_| format!("section {section} is too large"))?;
        sections[*section as usize].extend_from_slice(made);
        sections[Section::Literals as usize]
            .extend([at, len, *section as u32, begin, length].iter().flat_map(|word| word.to_le_bytes()));
    }
    if texts.bytes.len() > u32::MAX as usize {
        return Err("paths and names are too large".to_owned());
    }
    sections[Section::Text as usize] = texts.bytes;
    Ok(assemble(&sections, fingerprint))
}

/// Where the next part of a section begins, in words, once the one before is filled up.
fn begin(bytes: &mut Vec<u8>, section: Section) -> Result<u32, String> {
    bytes.resize(bytes.len().next_multiple_of(ALIGN), 0);
    u32::try_from(bytes.len() / 4).map_err(|_| format!("section {section} is too large"))
}

fn assemble(sections: &[Vec<u8>], fingerprint: &[u8; FINGERPRINT]) -> Vec<u8> {
    let mut out = vec![0; BLOCK];
    let mut table = Vec::new();
    for section in &sections[..Section::Blocks as usize] {
        out.resize(out.len().next_multiple_of(ALIGN), 0);
        table.extend([out.len() as u64, section.len() as u64]);
        out.extend_from_slice(section);
    }
    out.resize(out.len().next_multiple_of(BLOCK), 0);
    let sums: Vec<u8> = out[BLOCK..].chunks(BLOCK).flat_map(|block| xxh3_64(block).to_le_bytes()).collect();
    table.extend([out.len() as u64, sums.len() as u64]);
    out.extend(sums);
    let length = out.len() as u64;
    out[..8].copy_from_slice(&MAGIC);
    out[8..12].copy_from_slice(&VERSION.to_le_bytes());
    out[12..16].copy_from_slice(&(Section::ALL.len() as u32).to_le_bytes());
    out[16..24].copy_from_slice(&length.to_le_bytes());
    out[24..24 + FINGERPRINT].copy_from_slice(fingerprint);
    for (n, number) in table.iter().enumerate() {
        out[TABLE + 8 * n..TABLE + 8 * n + 8].copy_from_slice(&number.to_le_bytes());
    }
    seal(&mut out);
    out
}

/// Gives a header the checksum that fits it.
pub fn seal(archive: &mut [u8]) {
    if archive.len() >= HEADER_SUM + 8 {
        let sum = xxh3_64(&archive[..HEADER_SUM]);
        archive[HEADER_SUM..HEADER_SUM + 8].copy_from_slice(&sum.to_le_bytes());
    }
}

/// Gives all blocks and the header the checksums that fit them: for tests that want past them.
pub fn seal_all(archive: &mut [u8]) {
    let long = |archive: &[u8], at: usize| {
        archive.get(at..at + 8).map_or(0, |b| b.iter().rev().fold(0u64, |n, b| n << 8 | u64::from(*b)))
    };
    let start = long(archive, TABLE + 16 * Section::Blocks as usize) as usize;
    if start <= archive.len() && start.is_multiple_of(BLOCK) {
        for block in 1..start / BLOCK {
            let sum = xxh3_64(&archive[block * BLOCK..(block + 1) * BLOCK]).to_le_bytes();
            if let Some(place) = archive.get_mut(start + (block - 1) * 8..start + block * 8) {
                place.copy_from_slice(&sum);
            }
        }
    }
    seal(archive);
}
