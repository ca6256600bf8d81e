//! Compares recorded compiles of others' modules with real Puppet; `tests/foreign/README.md` explains.

use bunraku_tests::foreign::Recording;
use bunraku_tests::oracle::{self, Oracle};
use std::path::Path;

const USAGE: &str = "\
usage: foreign JOBS.jsonl [--oracle N] [--most N] [--job NUMBER]
  --oracle N    the Puppet that decides: 7 (by default), 8 or 9
  --most N      of jobs with the same code, keep N (3 by default)
  --job NUMBER  print one job and all that differs in it";

fn main() -> std::process::ExitCode {
    match run(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(text) => {
            println!("{text}");
            std::process::ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("foreign: {message}");
            std::process::ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Result<String, String> {
    let number = |name: &str| -> Result<Option<usize>, String> {
        let Some(at) = args.iter().position(|arg| arg == name) else { return Ok(None) };
        args.get(at + 1).and_then(|text| text.parse().ok()).map(Some).ok_or_else(|| USAGE.to_owned())
    };
    let path = args.first().filter(|path| !path.starts_with('-')).ok_or_else(|| USAGE.to_owned())?;
    let oracle = number("--oracle")?.map_or(Ok(oracle::SEVEN), |number| Oracle::of(&number.to_string()))?;
    let mut recording = Recording::read(Path::new(path), number("--most")?.unwrap_or(3), oracle)?;
    let Some(one) = number("--job")? else { return Ok(recording.run()?.report()) };
    let job = recording.jobs.get(one).cloned().ok_or_else(|| format!("there is no job {one}"))?;
    recording.jobs = vec![job.clone()];
    let mut out = format!("{job}\n");
    for (_, found) in recording.run()?.different {
        for difference in found {
            out += &format!("{}\n    {}\n", difference.cause, difference.detail.replace('\n', "\n    "));
        }
    }
    Ok(out)
}
