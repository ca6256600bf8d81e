//! What a process used, measured from outside: by a copy of the measuring program that starts it, waits for it, and
//! asks the system. So the figures are that process's own and its children's, whatever the program did before.

use std::path::Path;
use std::process::{Command, ExitCode, Output, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeVal;
use serde_json::{Value, json};

/// What a process used, the best of some runs.
#[derive(Clone, Copy)]
pub struct Used {
    /// Time from start to end.
    pub seconds: f64,
    /// Time on processors, of all of them.
    pub processor: f64,
    /// Greatest memory of the process itself, as seen when it was last looked at.
    pub own_mib: f64,
    /// Greatest memory of the process or of one of its children, whichever has more.
    pub mib: f64,
    /// Page faults of all of them.
    pub faults: u64,
}

/// What a program that calls [`used`] does when its first argument is `measure`: runs a command, its output thrown
/// away, and prints what it used.
pub fn measure(command: &[String]) -> ExitCode {
    let fail = |error: String| {
        eprintln!("measure: {error}");
        ExitCode::FAILURE
    };
    let Some((program, args)) = command.split_first() else { return fail("nothing to measure".to_owned()) };
    let started = Instant::now();
    let child = Command::new(program).args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => return fail(format!("{program}: {error}")),
    };
    let status = format!("/proc/{}/status", child.id());
    let mut own = 0;
    let ended = loop {
        own = own.max(peak(&status).unwrap_or(0));
        match child.try_wait() {
            Ok(None) => std::thread::sleep(Duration::from_micros(300)),
            Ok(Some(status)) => break status,
            Err(error) => return fail(error.to_string()),
        }
    };
    let seconds = started.elapsed().as_secs_f64();
    match getrusage(UsageWho::RUSAGE_CHILDREN) {
        Ok(used) if ended.success() => {
            let faults = used.minor_page_faults() + used.major_page_faults();
            let own = if own == 0 { used.max_rss() as u64 } else { own };
            let processor = processor(&used).as_secs_f64();
            let all = json!({
                "seconds": seconds, "processor": processor, "own": own, "kib": used.max_rss(), "faults": faults,
            });
            println!("{all}");
            ExitCode::SUCCESS
        }
        used => fail(format!("{command:?}: {ended}, {:?}", used.err())),
    }
}

/// Runs a command to its end: how it ended, what it printed, and the greatest memory that it had itself, in KiB.
///
/// # Errors
/// When it can't be started.
pub fn peak_of(command: &mut Command) -> std::io::Result<(Output, u64)> {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let watch = std::thread::spawn(move || {
        let mut most = 0;
        while let Some(now) = peak(&status) {
            most = most.max(now);
            std::thread::sleep(Duration::from_millis(1));
        }
        most
    });
    let output = child.wait_with_output()?;
    Ok((output, watch.join().unwrap_or_default()))
}

/// What a command printed, and the time of the processor that it and its children took; of two at once each has both.
pub fn timed(command: &mut Command) -> (Output, Duration) {
    let used = || processor(&getrusage(UsageWho::RUSAGE_CHILDREN).expect("the system says"));
    let before = used();
    let output = command.output().expect("it starts");
    (output, used() - before)
}

/// The time on processors, of all of them.
fn processor(used: &Usage) -> Duration {
    let time = |part: TimeVal| Duration::new(part.tv_sec() as u64, part.tv_usec() as u32 * 1000);
    time(used.user_time()) + time(used.system_time())
}

/// The greatest memory so far, in KiB.
fn peak(status: &str) -> Option<u64> {
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Runs a command some times.
///
/// # Errors
/// When it fails.
pub fn used(rounds: usize, program: &Path, args: &[&str]) -> Result<Used, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let most = f64::MAX;
    let mut best = Used { seconds: most, processor: most, own_mib: most, mib: most, faults: u64::MAX };
    for _ in 0..rounds {
        let out = Command::new(&own).arg("measure").arg(program).args(args).output();
        let out = out.map_err(|error| error.to_string())?;
        let got: Value = serde_json::from_slice(&out.stdout)
            .map_err(|_| String::from_utf8_lossy(&out.stderr).into_owned())?;
        let number = |key: &str| got[key].as_f64().unwrap_or(f64::MAX);
        best.seconds = best.seconds.min(number("seconds"));
        best.processor = best.processor.min(number("processor"));
        best.own_mib = best.own_mib.min(number("own") / 1024.0);
        best.mib = best.mib.min(number("kib") / 1024.0);
        best.faults = best.faults.min(got["faults"].as_u64().unwrap_or(u64::MAX));
    }
    Ok(best)
}
