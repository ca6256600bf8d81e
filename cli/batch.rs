//! `bunraku batch`: jobs in, results out, one JSON object a line, in the same order.

use crate::compile_arguments::seconds;
use crate::confine::Confine;
use crate::output;
use bunraku::threads::{spawn, within};
use bunraku::{Certificates, Compat, Compiler, Configuration, JobAnswer, StoredNode, TIMEOUT};
use bunraku_fleet::nodes::{FleetNode, Nodes, is_of_many};
use clap::Args;
use std::collections::BTreeMap;
#[cfg(unix)]
use std::fs::File;
#[cfg(unix)]
use std::io::BufWriter;
use std::io::{BufRead, Error, Write};
use std::num::NonZeroUsize;
#[cfg(unix)]
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::mpsc::{channel, sync_channel};
use std::time::Duration;

/// Run jobs from stdin, one JSON object a line, and print their results in the same order.
///
/// Each result is written as soon as it and all before it are there. A job that fails never ends the batch.
#[derive(Args)]
pub struct Arguments {
    /// How many jobs run side by side.
    #[arg(long, value_name = "N", default_value = "1")]
    threads: NonZeroUsize,
    /// How many seconds a compile may take whose job does not say; 0 is without end.
    #[arg(long, value_name = "SECONDS", default_value_t = TIMEOUT.as_secs_f64(), value_parser = seconds)]
    timeout: f64,
    /// Folder of a `puppet.conf` that says what jobs do not: environments by name, facts, classes, settings. It is read
    /// again for each job. Without it no configuration is read.
    #[arg(long, value_name = "DIR")]
    confdir: Option<PathBuf>,
    /// Version of the language where a job does not say, for `--confdir`.
    #[arg(long, value_name = "7|8|9", default_value_t, requires = "confdir")]
    compat: Compat,
    #[command(flatten)]
    confine: Confine,
}

/// Who answers jobs.
struct Answers {
    compiler: Compiler,
    configuration: Option<Configuration>,
}

impl Answers {
    fn answer(&self, line: &str) -> JobAnswer {
        self.compiler.answer_with(line, self.configuration.as_ref(), &stored)
    }
}

/// What a snapshot, or a folder with a file for each node, has of a node; none for a file of facts.
fn stored(place: &str, node: &str) -> Option<Result<StoredNode, String>> {
    let path = Path::new(place);
    (path.is_dir() || path.is_file() && is_of_many(place)).then(|| {
        let of_fleet = Nodes::open(place, &Certificates::default())?.node(node)?;
        let FleetNode { name, facts, trusted, environment, timestamp } = of_fleet;
        Ok(StoredNode { name: Some(name), facts, trusted, environment, timestamp })
    })
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let timeout = (arguments.timeout > 0.0).then(|| Duration::from_secs_f64(arguments.timeout));
    let configuration = match configuration(arguments) {
        Ok(configuration) => configuration,
        Err(message) => {
            output::note(&format!("Error: {message}"));
            return ExitCode::from(crate::FAILED);
        }
    };
    let answers = Answers { compiler: arguments.confine.compiler().with_timeout(timeout), configuration };
    let done = match arguments.threads.get() {
        1 => within(|| one_by_one(&answers)).flatten(),
        threads => side_by_side(&answers, threads),
    };
    answers.compiler.end_without_freeing();
    // A reader that has gone wants no more results; there is nobody to tell.
    match output::unless_gone(done) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::note(&format!("Error: {error}"));
            ExitCode::from(crate::FAILED)
        }
    }
}

fn configuration(arguments: &Arguments) -> Result<Option<Configuration>, String> {
    let Some(folder) = &arguments.confdir else { return Ok(None) };
    let given = [("confdir".to_owned(), folder.to_string_lossy().into_owned())];
    let configuration = Configuration::read(arguments.compat, &given)?;
    if let Some(fault) = configuration.fault() {
        return Err(fault.to_owned());
    }
    configuration.warnings()?.iter().for_each(|warning| output::note(&format!("Warning: {warning}")));
    Ok(Some(configuration))
}

/// The next line as text; bytes that are no UTF-8 become a job that is answered with an error.
fn next_line(input: &mut impl BufRead) -> std::io::Result<Option<String>> {
    let mut bytes = Vec::new();
    if input.read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_owned()))
}

/// Where results go: stdout by itself would look for the last end of a line in all of a catalog.
#[cfg(unix)]
fn results() -> std::io::Result<impl Write> {
    let stdout = std::io::stdout().as_fd().try_clone_to_owned()?;
    Ok(BufWriter::new(File::from(stdout)))
}

/// The same where there are no descriptors of files.
#[cfg(not(unix))]
fn results() -> std::io::Result<impl Write> {
    Ok(std::io::stdout().lock())
}

/// Writes a line.
fn print(output: &mut impl Write, answer: &JobAnswer) -> std::io::Result<()> {
    answer.parts().into_iter().try_for_each(|part| output.write_all(part.as_bytes()))?;
    output.write_all(b"\n")?;
    output.flush()
}

fn one_by_one(answers: &Answers) -> std::io::Result<()> {
    let (mut input, mut results) = (std::io::stdin().lock(), results()?);
    let failed = |what: &str, error: Error| Error::new(error.kind(), format!("Could not {what}: {error}"));
    while let Some(line) = next_line(&mut input).map_err(|error| failed("read jobs", error))? {
        print(&mut results, &answers.answer(&line)).map_err(|error| failed("write results", error))?;
    }
    Ok(())
}

fn side_by_side(all: &Answers, threads: usize) -> std::io::Result<()> {
    let mut results = results()?;
    // Jobs are taken from stdin only as fast as they are begun.
    let (jobs, waiting) = sync_channel::<(usize, String)>(threads);
    let waiting = Mutex::new(waiting);
    let (answers, answered) = channel::<(usize, JobAnswer)>();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let answers = answers.clone();
            let waiting = &waiting;
            let work = move || {
                loop {
                    let job = match waiting.lock() {
                        Ok(waiting) => waiting.recv(),
                        Err(_) => break,
                    };
                    let Ok((number, line)) = job else { break };
                    if answers.send((number, all.answer(&line))).is_err() {
                        break;
                    }
                }
            };
            spawn(scope, work)?;
        }
        drop(answers);
        scope.spawn(move || {
            let mut input = std::io::stdin().lock();
            let mut number = 0;
            while let Ok(Some(line)) = next_line(&mut input) {
                if jobs.send((number, line)).is_err() {
                    break;
                }
                number += 1;
            }
        });
        let mut early = BTreeMap::new();
        let mut next = 0;
        for (number, answer) in answered {
            early.insert(number, answer);
            while let Some(answer) = early.remove(&next) {
                if let Err(error) = print(&mut results, &answer) {
                    // The threads above may wait for stdin for ever; the process ends without them.
                    drop(results);
                    let gone = output::unless_gone(Err(error));
                    if let Err(error) = &gone {
                        output::note(&format!("Error: Could not write results: {error}"));
                    }
                    std::process::exit(if gone.is_ok() { 0 } else { i32::from(crate::FAILED) });
                }
                next += 1;
            }
        }
        Ok(())
    })
}
