//! The lines of a file, however it is written.

use super::{Lines, hocon, yaml};
use crate::data_file::DataFormat;
use crate::data_file::cache::parse;
use std::path::Path;
use std::rc::Rc;

/// The lines of a file's content; none for what is not well formed.
pub(crate) fn lines(path: &Path, bytes: &[u8], format: DataFormat) -> Option<Rc<Lines>> {
    // This is also what limits depth and size.
    parse(path, bytes, format).ok()?;
    let text = std::str::from_utf8(bytes).ok()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match format {
        DataFormat::Yaml => yaml::of_text(text),
        DataFormat::Json | DataFormat::Hocon => {
            let tokens = ::hocon::tokenize(text).ok()?;
            Some(Rc::new(hocon::of_tokens(&tokens)))
        }
    }
}
