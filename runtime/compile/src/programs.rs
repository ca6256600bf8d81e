//! Programs that `generate` runs. Of those that the setting `pure_programs` names, what they print depends on their arguments alone:
//! each is run once for the same arguments, whatever node asks, and a catalog that has run one has read no more than its file. The
//! setting `pure_outputs` names a file in which what they have printed is kept for other processes.

use bunraku_files::found::Stamp;
use bunraku_files::read::bounded;
use bunraku_files::recent::Recent;
use bunraku_files::{believed, write};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How many outputs are kept.
const MOST: usize = 10_000;
/// Longer ones are not.
const LONGEST: usize = 64 << 10;
/// How many files of outputs a session knows.
const FILES: usize = 16;
/// How large a file of them may be.
const LARGEST: u64 = 256 << 20;
/// The first line of such a file.
const HEADER: &str = r#"{"bunraku":"outputs of pure programs","format":1}"#;
/// How long a process that goes on waits before it writes again.
const PAUSE: Duration = Duration::from_secs(10);

/// What is said of programs whose output depends on their arguments alone.
#[derive(Clone, Debug, Default)]
pub struct PurePrograms {
    /// Which they are, by their paths: `pure_programs`.
    pub paths: Vec<String>,
    /// The file in which their outputs are kept: `pure_outputs`.
    pub outputs: Option<PathBuf>,
}

/// Programs that code may run.
#[derive(Clone, Copy)]
pub struct Programs<'c> {
    /// Those whose output depends on their arguments alone.
    pub pure: &'c PurePrograms,
    /// What those have printed.
    pub outputs: &'c Outputs,
}

impl Programs<'_> {
    /// Whether a program is one of the pure ones.
    pub fn is_pure(&self, program: &str) -> bool {
        self.pure.paths.iter().any(|pure| pure == program)
    }

    /// What a pure program has printed for its arguments, if it is known and the program is this one.
    pub fn printed(&self, command: &[String], program: Stamp) -> Option<String> {
        self.outputs.get(command, program)
    }

    /// Keeps what it has printed, being what it was before it ran.
    pub fn keep(&self, command: &[String], program: Stamp, text: &str) {
        self.outputs.keep(command, program, text, self.pure.outputs.as_deref());
    }
}

/// What a program has printed.
struct Output {
    program: Stamp,
    /// The program's stamp in numbers, where a later change of it would show.
    lasting: Option<[u64; 5]>,
    text: String,
}

/// An output in a file: a line of JSON.
#[derive(Serialize, Deserialize)]
struct Line {
    command: Vec<String>,
    program: [u64; 5],
    output: String,
}

/// What this process has done about a file of outputs.
struct Written {
    /// Whether something is not in it yet.
    is_due: bool,
    last: Instant,
}

/// What pure programs have printed.
pub struct Outputs(Mutex<Kept>);

struct Kept {
    /// Key: program and arguments. Bound: [`MOST`], none longer than [`LONGEST`]. Stale: the stamp of the program differs.
    /// What fails is not kept. Test: `runtime/compile/tests/programs.rs`.
    outputs: Recent<Vec<String>, Output>,
    /// Files that have been read, by their paths.
    files: Recent<PathBuf, Written>,
}

impl Default for Outputs {
    fn default() -> Self {
        Outputs(Mutex::new(Kept { outputs: Recent::new(MOST), files: Recent::new(FILES) }))
    }
}

impl Outputs {
    /// Reads a file of outputs, unless that has been done; one that is not there is made when there is something to write.
    ///
    /// # Errors
    /// When what lies there is no such file, or is somebody else's or may be written by others; when its folder is not there.
    pub fn open(&self, file: &Path) -> Result<(), String> {
        let mut kept = self.kept();
        if kept.files.get(file).is_some() {
            return Ok(());
        }
        let lines =
            read(file).map_err(|why| format!("The setting 'pure_outputs': {}: {why}", file.display()))?;
        kept.files.insert(file.to_path_buf(), Written { is_due: false, last: Instant::now() });
        for Line { command, program, output } in lines {
            let output = Output { program: Stamp::of_words(program), lasting: Some(program), text: output };
            kept.outputs.insert(command, output);
        }
        Ok(())
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, command: &[String], program: Stamp) -> Option<String> {
        let mut kept = self.kept();
        let output = kept.outputs.get(command)?;
        (output.program == program).then(|| output.text.clone())
    }

    fn keep(&self, command: &[String], program: Stamp, text: &str, file: Option<&Path>) {
        if text.len() > LONGEST {
            return;
        }
        let mut kept = self.kept();
        let output = Output { program, lasting: program.settled_words(), text: text.to_owned() };
        kept.outputs.insert(command.to_vec(), output);
        if let Some(file) = file
            && let Some(written) = kept.files.get_mut(file)
        {
            written.is_due = true;
            if written.last.elapsed() > PAUSE {
                kept.write(file);
            }
        }
    }

    /// Writes what is not in files yet.
    pub fn remember(&self) {
        let mut kept = self.kept();
        let due = |(file, written): (&PathBuf, &Written)| written.is_due.then(|| file.clone());
        let due: Vec<PathBuf> = kept.files.iter().filter_map(due).collect();
        due.iter().for_each(|file| kept.write(file));
    }
}

impl Kept {
    /// Writes what is known, with what other processes have written meanwhile. Where that can't be done, or something else lies there
    /// now, programs will have to be run again.
    fn write(&mut self, file: &Path) {
        if let Some(written) = self.files.get_mut(file) {
            *written = Written { is_due: false, last: Instant::now() };
        }
        let Ok(others) = read(file) else { return };
        let mut text = format!("{HEADER}\n");
        let mut add = |line: &Line| {
            if let Ok(line) = serde_json::to_string(line)
                && text.len() as u64 + line.len() as u64 + 1 < LARGEST
            {
                text.push_str(&line);
                text.push('\n');
            }
        };
        let own = self.outputs.iter().filter_map(|(command, output)| {
            let (command, output_text) = (command.clone(), output.text.clone());
            Some(Line { command, program: output.lasting?, output: output_text })
        });
        let own: Vec<Line> = own.take(MOST).collect();
        let room = MOST - own.len();
        let known: HashSet<&[String]> = own.iter().map(|line| &line.command[..]).collect();
        others.iter().filter(|line| !known.contains(&line.command[..])).take(room).for_each(&mut add);
        // The one used last comes last, here as when the file is read.
        own.iter().rev().for_each(&mut add);
        let before = std::fs::symlink_metadata(file).ok();
        let _ = write::beside(file, text.as_bytes(), before.as_ref(), 0o600);
    }
}

/// The outputs in a file; none where there is no file, but its folder.
fn read(file: &Path) -> Result<Vec<Line>, String> {
    if file.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        let folder = file.parent().unwrap_or(Path::new("/"));
        return match folder.is_dir() {
            true => Ok(Vec::new()),
            false => Err(format!("there is no folder {}", folder.display())),
        };
    }
    let (opened, about) = believed::open(file, None).ok_or(
        "is not believed: it is no regular file, belongs to somebody else, or others may write to it",
    )?;
    let bytes = bounded(opened, about.len(), LARGEST).map_err(|error| error.to_string())?;
    let text = String::from_utf8(bytes).map_err(|error| error.to_string())?;
    let mut lines = text.lines();
    if lines.next() != Some(HEADER) {
        return Err("is no file of outputs, and stays as it is".to_owned());
    }
    lines.map(|line| serde_json::from_str(line).map_err(|error| format!("is damaged: {error}"))).collect()
}
