//! Real Puppet in one warm process: `tests/oracle/warm.rb`.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The process.
pub struct Puppet {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// What one compile took.
pub struct Compiled {
    /// Time, the catalog's JSON included.
    pub milliseconds: f64,
    /// The part of it spent in ERB.
    pub templates: f64,
    /// Resources of the catalog.
    pub resources: u64,
}

impl Puppet {
    /// Starts it.
    ///
    /// # Errors
    /// When there is no Ruby, or no Puppet 7.23.
    pub fn start() -> Result<Puppet, String> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/oracle/warm.rb");
        let mut child = Command::new("ruby")
            .arg(script)
            .env("LANG", "C.UTF-8")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("Could not start ruby: {error}"))?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(input), Some(output)) => Ok(Puppet { child, input, output: BufReader::new(output) }),
            _ => Err("ruby has no pipes".to_owned()),
        }
    }

    fn ask(&mut self, question: &Value) -> Result<Value, String> {
        writeln!(self.input, "{question}").map_err(|error| error.to_string())?;
        let mut line = String::new();
        self.output.read_line(&mut line).map_err(|error| error.to_string())?;
        let answer: Value = serde_json::from_str(&line)
            .map_err(|_| "Puppet 7.23 did not answer (puppet-agent)".to_owned())?;
        match answer.get("error").and_then(Value::as_str) {
            Some(error) => Err(error.to_owned()),
            None => Ok(answer),
        }
    }

    /// Makes a job of `batch` known under a name.
    ///
    /// # Errors
    /// What Puppet says against it.
    pub fn add(&mut self, name: &str, job: &Value) -> Result<(), String> {
        let mut job = job.clone();
        job["id"] = json!(name);
        self.ask(&job).map(|_| ())
    }

    /// Compiles it once.
    ///
    /// # Errors
    /// What ended the compile.
    pub fn run(&mut self, name: &str) -> Result<Compiled, String> {
        let answer = self.ask(&json!({"run": name}))?;
        Ok(Compiled {
            milliseconds: answer["seconds"].as_f64().unwrap_or(f64::NAN) * 1e3,
            templates: answer["templates"].as_f64().unwrap_or(f64::NAN) * 1e3,
            resources: answer["resources"].as_u64().unwrap_or_default(),
        })
    }
}

impl Drop for Puppet {
    fn drop(&mut self) {
        // It has nothing to lose.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
