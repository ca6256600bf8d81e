//! A bucket of S3, or of whatever speaks its protocol, as the place of an index of shards: for batch engines whose machines have no
//! folder in common.
//!
//! A result is put with `If-None-Match: *`, so that the first one stands: the bucket's server has to know that, which Amazon's has since
//! 2024. Who may, and where the server is, the variables of the environment say that Amazon's own tools know.
//!
//! This crate is async inside, behind a synchronous front, as `fleet/nats` is.

use bunraku_fleet::engine::index::Place;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::path::Path as Key;
use object_store::{
    Certificate, ClientConfigKey, ClientOptions, Error, ObjectStore, ObjectStoreExt, PutMode,
};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// See the module.
pub struct Bucket {
    store: AmazonS3,
    url: String,
    prefix: String,
    runtime: Runtime,
}

impl Bucket {
    /// Opens `s3://BUCKET` or `s3://BUCKET/FOLDER`; nothing is asked yet. `authorities` are the certificates of whoever signs the
    /// server, one PEM after the other, where it is none that the machine knows.
    ///
    /// # Errors
    /// When the URL is none, a variable of the environment is wrong, or the certificates are none.
    pub fn open(url: &str, authorities: Option<&[u8]>) -> Result<Bucket, String> {
        let failed = |error: String| format!("Could not use {url}: {error}");
        let url = url.trim_end_matches('/');
        let rest = url.strip_prefix("s3://").filter(|rest| !rest.is_empty());
        let rest = rest.ok_or_else(|| failed("it takes s3://BUCKET/FOLDER".to_owned()))?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        // There may be one already; which does not matter.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = AmazonS3Builder::from_env().with_bucket_name(bucket);
        if let Some(pem) = authorities {
            builder = builder.with_client_options(trusting(pem).map_err(failed)?);
        }
        encrypted(&builder).map_err(failed)?;
        let store = builder.build().map_err(|error| failed(error.to_string()))?;
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| failed(error.to_string()))?;
        Ok(Bucket { store, url: url.to_owned(), prefix: prefix.to_owned(), runtime })
    }

    fn key(&self, path: &str) -> Key {
        match self.prefix.is_empty() {
            true => Key::from(path),
            false => Key::from(format!("{}/{path}", self.prefix)),
        }
    }

    fn put_as(&self, path: &str, bytes: &[u8], mode: PutMode) -> Result<(), String> {
        let key = self.key(path);
        let put = self.store.put_opts(&key, bytes.to_vec().into(), mode.into());
        match self.runtime.block_on(put) {
            Ok(_) | Err(Error::AlreadyExists { .. }) => Ok(()),
            Err(error) => Err(format!("Could not write {}: {error}", self.name(path))),
        }
    }

    fn size(&self, path: &str) -> Result<Option<u64>, String> {
        let key = self.key(path);
        match self.runtime.block_on(self.store.head(&key)) {
            Ok(found) => Ok(Some(found.size)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(format!("Could not read {}: {error}", self.name(path))),
        }
    }
}

/// Refuses a server without TLS, unless that is allowed: its client refuses it with each request, and does not say why.
fn encrypted(builder: &AmazonS3Builder) -> Result<(), String> {
    let endpoint = builder.get_config_value(&AmazonS3ConfigKey::Endpoint);
    let Some(endpoint) = endpoint.filter(|endpoint| endpoint.starts_with("http://")) else { return Ok(()) };
    let allowed = builder.get_config_value(&AmazonS3ConfigKey::Client(ClientConfigKey::AllowHttp));
    let yes = ["1", "on", "true", "y", "yes"];
    match allowed.is_some_and(|said| yes.contains(&said.to_ascii_lowercase().as_str())) {
        true => Ok(()),
        false => Err(format!("its server {endpoint} has no TLS: AWS_ALLOW_HTTP=true allows that")),
    }
}

fn trusting(pem: &[u8]) -> Result<ClientOptions, String> {
    let certificates = Certificate::from_pem_bundle(pem);
    let certificates = certificates.map_err(|error| format!("the authorities' certificates: {error}"))?;
    Ok(certificates.into_iter().fold(ClientOptions::new(), ClientOptions::with_root_certificate))
}

impl Place for Bucket {
    fn name(&self, path: &str) -> String {
        format!("{}/{path}", self.url)
    }

    fn get(&self, path: &str) -> Result<Vec<u8>, String> {
        let key = self.key(path);
        let read = async { self.store.get(&key).await?.bytes().await };
        let read = self.runtime.block_on(read);
        read.map(Vec::from).map_err(|error| match error {
            Error::NotFound { .. } => format!("Could not read {}: it is not there", self.name(path)),
            error => format!("Could not read {}: {error}", self.name(path)),
        })
    }

    fn has(&self, path: &str) -> Result<bool, String> {
        Ok(self.size(path)?.is_some())
    }

    fn holds(&self, path: &str, bytes: &[u8]) -> bool {
        // By its size: an archive is not fetched to find that it is there, and whoever fetches it looks at its hash.
        self.size(path).is_ok_and(|size| size == Some(bytes.len() as u64))
    }

    fn put(&self, path: &str, bytes: &[u8]) -> Result<(), String> {
        self.put_as(path, bytes, PutMode::Overwrite)
    }

    fn put_new(&self, path: &str, bytes: &[u8]) -> Result<(), String> {
        self.put_as(path, bytes, PutMode::Create)
    }

    fn names(&self, folder: &str) -> Result<Vec<String>, String> {
        let key = self.key(folder);
        let listed = self.runtime.block_on(self.store.list_with_delimiter(Some(&key)));
        let listed = listed.map_err(|error| format!("Could not list {}: {error}", self.name(folder)))?;
        let files = listed.objects.iter().map(|object| &object.location);
        let names = files.chain(&listed.common_prefixes).filter_map(Key::filename);
        Ok(names.map(str::to_owned).collect())
    }

    fn pause(&self) -> Duration {
        // Each look is a request that is paid for.
        Duration::from_secs(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_a_bucket_and_a_folder() {
        let name = |url: &str| {
            Bucket::open(url, None).map(|bucket| (bucket.key("a/b").to_string(), bucket.name("a/b")))
        };
        assert_eq!(name("s3://b"), Ok(("a/b".to_owned(), "s3://b/a/b".to_owned())));
        assert_eq!(name("s3://b/f/g/"), Ok(("f/g/a/b".to_owned(), "s3://b/f/g/a/b".to_owned())));
        for wrong in ["s3://", "s3:", "b"] {
            assert!(name(wrong).is_err(), "{wrong}");
        }
        let broken = b"-----BEGIN CERTIFICATE-----\n?\n-----END CERTIFICATE-----\n";
        let error = Bucket::open("s3://b", Some(broken)).err().unwrap_or_default();
        assert!(error.starts_with("Could not use s3://b: the authorities' certificates: "), "{error}");
    }
}
