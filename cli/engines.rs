//! The arguments that say which engine hands out the work of a fleet, and how it is reached.

use bunraku::files::read;
use bunraku_fleet::engine::folder::Folder;
use bunraku_fleet::engine::index::{self, Index};
use bunraku_fleet::engine::plan::{Plan, SHARD};
use bunraku_fleet::engine::{Engine, Hash};
use bunraku_fleet_nats::{Connection, Nats, PATIENCE};
use bunraku_fleet_s3::Bucket;
use clap::Args;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::Command;
use std::str::FromStr;
use std::time::Duration;

/// An engine, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum On {
    /// NATS JetStream, by its URL.
    Nats(String),
    /// A folder.
    Index(PathBuf),
    /// A bucket of S3, by its URL.
    Bucket(String),
}

impl FromStr for On {
    type Err = String;

    fn from_str(text: &str) -> Result<On, String> {
        match text.split_once(':') {
            Some(("nats" | "tls", rest)) if rest.starts_with("//") => Ok(On::Nats(text.to_owned())),
            Some(("nats", host)) if !host.is_empty() => Ok(On::Nats(format!("nats://{host}"))),
            Some(("index", place)) if !place.is_empty() => Ok(On::at(place)),
            Some(("s3", rest)) if rest.starts_with("//") => Ok(On::at(text)),
            _ => {
                Err("it takes nats://HOST:PORT, tls://HOST:PORT, index:FOLDER or s3://BUCKET/FOLDER"
                    .to_owned())
            }
        }
    }
}

/// Certificates for an engine, by Puppet's names.
#[derive(Clone, Debug, Default)]
pub struct Tls {
    /// Of the authority that signs the server.
    pub authorities: Option<PathBuf>,
    /// What the server is shown, and its key.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

/// How jobs are handed out.
#[derive(Args, Clone)]
pub struct OnArguments {
    /// Have the nodes compiled by others, by way of an engine; the report is the same.
    #[arg(long, value_name = ENGINES)]
    pub on: Option<On>,
    /// How many nodes are one job.
    #[arg(long = "shard", value_name = "NODES", default_value_t = SHARD_NODES, requires = "on")]
    pub shard: NonZeroUsize,
    /// Do not wait: print what the run is called. `bunraku fleet run` goes on with it.
    #[arg(long, requires = "on")]
    pub detach: bool,
    /// Command that has the shards of a folder or bucket done, run once they lie there, with BUNRAKU_RUN, the run's folder, and
    /// BUNRAKU_SHARDS, how many there are: `sbatch --array=0-$((BUNRAKU_SHARDS - 1)) job.sh`.
    #[arg(long, value_name = "COMMAND", requires = "on")]
    pub submit: Option<String>,
    #[command(flatten)]
    pub patience: Patience,
}

const SHARD_NODES: NonZeroUsize = NonZeroUsize::new(SHARD).expect("it is not 0");

/// How long a worker may say nothing.
#[derive(Args, Clone)]
pub struct Patience {
    /// After how many seconds without a word of a worker NATS hands its job to another.
    #[arg(long = "patience", value_name = "SECONDS", default_value_t = PATIENCE.as_secs())]
    pub seconds: u64,
}

/// An engine that is open.
pub enum Opened {
    /// See [`On`].
    Nats(Box<Nats>),
    /// A folder or a bucket.
    Index(Box<Index>),
}

/// How an engine is named.
pub const ENGINES: &str = "nats://HOST|index:FOLDER|s3://BUCKET/FOLDER";

impl On {
    /// An index, by where it lies.
    fn at(place: &str) -> On {
        match place.starts_with("s3://") {
            true => On::Bucket(place.to_owned()),
            false => On::Index(place.into()),
        }
    }

    /// Opens the engine.
    ///
    /// # Errors
    /// When it can't be reached.
    pub fn open(&self, tls: &Tls, patience: &Patience) -> Result<Opened, String> {
        Ok(match self {
            On::Nats(url) => Opened::Nats(Box::new(Nats::connect(&Connection {
                url: url.clone(),
                authorities: tls.authorities.clone(),
                certificate: tls.certificate.clone(),
                patience: Duration::from_secs(patience.seconds.max(1)),
            })?)),
            // The last part of it is made, but no path to it, which may be misspelt: nobody would ever come there.
            On::Index(folder) if folder.parent().is_some_and(|parent| !parent.join(".").is_dir()) => {
                return Err(format!("There is no folder in which {} could be made", folder.display()));
            }
            On::Index(folder) => Opened::Index(Box::new(Index::new(Box::new(Folder::open(folder)?)))),
            On::Bucket(url) => {
                let pem = tls.authorities.as_deref().map(|file| {
                    read::given(file, read::MAX_FILE)
                        .map_err(|error| format!("Could not read {}: {error}", file.display()))
                });
                let bucket = Bucket::open(url, pem.transpose()?.as_deref())?;
                Opened::Index(Box::new(Index::new(Box::new(bucket))))
            }
        })
    }
}

impl Opened {
    /// As what it is to everybody.
    pub fn engine(&self) -> &dyn Engine {
        match self {
            Opened::Nats(nats) => &**nats,
            Opened::Index(index) => &**index,
        }
    }

    /// Publishes the jobs of a run, and has them submitted where a command says how.
    ///
    /// # Errors
    /// When they can't be published; when the command fails.
    pub fn start(&self, run: &Hash, plan: &Plan, submit: Option<&str>) -> Result<(), String> {
        self.engine().publish(&plan.jobs(run))?;
        let Some(command) = submit else { return Ok(()) };
        let Opened::Index(index) = self else {
            return Err("--submit is for folders and buckets: NATS hands its jobs out itself".to_owned());
        };
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", command]).env("BUNRAKU_RUN", index.name(run));
        // What it says is no part of the report.
        shell.env("BUNRAKU_SHARDS", plan.shards.len().to_string()).stdout(std::io::stderr());
        let failed = |why: String| format!("The command that submits the shards failed: {why}");
        let status = shell.status().map_err(|error| failed(error.to_string()))?;
        if status.success() { Ok(()) } else { Err(failed(status.to_string())) }
    }

    /// What a run is to be called in another call.
    pub fn name(&self, run: &Hash) -> String {
        match self {
            Opened::Nats(_) => run.to_string(),
            Opened::Index(index) => index.name(run),
        }
    }
}

/// A run, by its hash or its folder.
#[derive(Clone, Debug)]
pub struct RunName(pub String);

impl FromStr for RunName {
    type Err = String;

    fn from_str(text: &str) -> Result<RunName, String> {
        let name = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        name.parse::<Hash>().map(|_| RunName(text.to_owned()))
    }
}

impl RunName {
    /// The engine that has it, and the run: a folder says both.
    ///
    /// # Errors
    /// When no engine is named, or it can't be reached.
    pub fn open(&self, on: Option<&On>, tls: &Tls, patience: &Patience) -> Result<(Opened, Hash), String> {
        match (self.0.parse::<Hash>(), on) {
            (Ok(run), Some(on)) => Ok((on.open(tls, patience)?, run)),
            (Ok(_), None) => Err("Where does the run lie? --on nats://HOST or index:FOLDER".to_owned()),
            (Err(_), _) => {
                let none = || format!("{} is no run: it takes a hash, or FOLDER/runs/HASH", self.0);
                let (place, run) = index::split(&self.0).ok_or_else(none)?;
                Ok((On::at(place).open(tls, patience)?, run))
            }
        }
    }
}

/// The plan of a run.
///
/// # Errors
/// When there is no such run, or it is another build's.
pub fn plan(engine: &dyn Engine, run: &Hash) -> Result<Plan, String> {
    Ok(Plan::decode(&engine.fetch(run)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_named_by_a_word_and_a_place() {
        let of = |text: &str| text.parse::<On>();
        assert_eq!(of("nats://a:4222"), Ok(On::Nats("nats://a:4222".into())));
        assert_eq!(of("nats:a:4222"), Ok(On::Nats("nats://a:4222".into())));
        assert_eq!(of("tls://a"), Ok(On::Nats("tls://a".into())));
        assert_eq!(of("index:/x"), Ok(On::Index("/x".into())));
        assert_eq!(of("s3://b/x"), Ok(On::Bucket("s3://b/x".into())));
        assert_eq!(of("index:s3://b/x"), of("s3://b/x"));
        for wrong in ["", "a", "index:", "nats:", "http://x"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
