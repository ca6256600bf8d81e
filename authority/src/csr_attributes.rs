//! `csr_attributes.yaml`: the extensions that a machine's own certificate is to have. Source: puppetserver-ca 2.4.0.

use crate::extensions;
use crate::fault::Fault;
use crate::oids;
use bunraku::Data;
use bunraku::files::read;
use std::path::Path;
use x509_cert::ext::Extension;

/// Bytes of the file, at most.
const MAX_FILE: u64 = 1 << 20;

/// The extensions below `extension_requests`; none where there is no file.
///
/// # Errors
/// When it can't be read, or a name is no extension.
pub fn requested(file: &Path) -> Result<Vec<Extension>, Fault> {
    if !file.is_file() {
        return Ok(Vec::new());
    }
    let told = |why: String| Fault::Failed(format!("{}: {why}", file.display()));
    let text = read::regular_text(file, MAX_FILE).map_err(|error| told(error.to_string()))?;
    let data = Data::from_yaml(&text).map_err(told)?;
    if !matches!(data, Data::Map(_)) {
        return Err(told("Invalid CSR attributes, expected instance of Hash".to_owned()));
    }
    let Some(Data::Map(wanted)) = data.get("extension_requests") else { return Ok(Vec::new()) };
    let one = |(name, value): &(String, Data)| {
        let number = oids::number(name).filter(|number| *number != oids::ALTERNATIVE_NAMES);
        let number =
            number.ok_or_else(|| told(format!("Cannot create CSR with extension request {name}")))?;
        let text = value.as_str().map_or_else(|| value.to_json(), str::to_owned);
        extensions::of_text(number, &text)
    };
    wanted.iter().map(one).collect()
}
