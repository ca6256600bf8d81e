//! `bunraku server`: a compile server, from arguments and signals.

use crate::configured::{self, Configured};
use crate::render::{ColorChoice, MessageFormat, Renderer};
use crate::{FAILED, USAGE, compile_arguments, machine, output};
use bunraku::visible::visible_line;
use bunraku::{Compat, Configuration, Data};
use bunraku_server::access::{AccessRecord, Accesses};
use bunraku_server::check::check;
use bunraku_server::notices::{Notice, Notices};
use bunraku_server::server::{Options, Server};
use bunraku_server::site::Given;
use bunraku_server::versions::Versions;
use clap::Args;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Reports that are taken at once, at least: processors mostly wait for somebody else.
const REPORTS: usize = 8;

/// Serve agents: catalogs and files, as Puppet Server does, behind the authority that is already there.
///
/// It reads Puppet's own configuration: puppet.conf with its certificates, environments and classifier, auth.conf, fileserver.conf.
/// SIGHUP reads it anew, SIGTERM ends once what is under way is answered.
#[derive(Args)]
pub struct Arguments {
    /// Address to listen on.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::UNSPECIFIED))]
    address: IpAddr,
    /// Port to listen on [default: the setting serverport, 8140].
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// File of rules: who may ask what [default: auth.conf beside puppet.conf, or Puppet Server's own rules].
    #[arg(long, value_name = "FILE")]
    auth: Option<PathBuf>,
    /// A proxy that looks at clients' certificates and names them in headers, where auth.conf has allow-header-cert-info: others are
    /// not believed, but for those on this machine. It may be said several times.
    #[arg(long, value_name = "ADDRESS")]
    proxy: Vec<IpAddr>,
    /// Compile from archives: ARCHIVES/ENVIRONMENT/current is a link to the one in force, looked at once a second.
    #[arg(long, value_name = "DIR")]
    archives: Option<PathBuf>,
    /// Keep what the external node classifier says of a node for so many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    enc_ttl: u64,
    /// Program that prints the version of an environment's code, whose name it is given: with it, catalogs are static ones.
    #[arg(long, value_name = "PROGRAM", requires = "code_content_command")]
    code_id_command: Option<PathBuf>,
    /// Program that prints what a file held: it is given the environment, the version, and the file's path below the environment.
    #[arg(long, value_name = "PROGRAM", requires = "code_id_command")]
    code_content_command: Option<PathBuf>,
    /// Be the certificate authority, too, over the folder that the setting cadir names; `bunraku ca init` makes one.
    #[arg(long)]
    ca: bool,
    /// Puppet Server's ca.conf: what requests may ask for [default: ../conf.d/ca.conf beside cadir, if it is there].
    #[arg(long, value_name = "FILE", requires = "ca")]
    ca_conf: Option<PathBuf>,
    /// Compiles that run at once [default: one a core].
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Requests for compiles that may wait beside them; more are told to come again [default: 8 a thread].
    #[arg(long, value_name = "N")]
    queue: Option<usize>,
    /// Reports that are taken at once: those of processors that wait for somebody else hold up the others [default: as many as
    /// compiles, at least 8].
    #[arg(long, value_name = "N")]
    report_threads: Option<usize>,
    /// How many seconds a compile may take; 0 is without end.
    #[arg(long, value_name = "SECONDS", value_parser = compile_arguments::seconds, default_value = "300")]
    timeout: f64,
    /// Sets a limit of compiles: max_calls, max_depth, max_file, max_memory, max_nesting, max_steps, exec_output,
    /// exec_timeout, ruby_memory, ruby_timeout.
    #[arg(long = "limit", value_name = "NAME=NUMBER", value_parser = compile_arguments::limit)]
    limits: Vec<(String, Data)>,
    /// A program whose output depends on its arguments alone: `generate()` runs it once for the same arguments, whatever node asks. May
    /// be given several times.
    #[arg(long = "pure-program", value_name = "PATH")]
    pure_programs: Vec<String>,
    /// The Ruby that runs functions, templates and report processors of modules: a path, or a name to be found on PATH [default: ruby].
    #[arg(long, value_name = "PATH")]
    ruby: Option<PathBuf>,
    /// Who is told to come again is to do so within so many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    retry_after: u64,
    /// Compress answers for those who take that: worth it where the network is slow.
    #[arg(long)]
    compress: bool,
    /// Hand out measurements in Prometheus' form there, without TLS.
    #[arg(long, value_name = "ADDRESS:PORT")]
    metrics: Option<SocketAddr>,
    /// Tell each request there, as a line of JSON [default: on stderr].
    #[arg(long, value_name = "FILE")]
    access_log: Option<PathBuf>,
    /// Read everything, say what would be in force and what looks wrong, and end: nothing is written or sent, so it may be asked beside
    /// a server that runs.
    #[arg(long)]
    check: bool,
    /// Version of Puppet to stand for.
    #[arg(long, value_name = "7|8|9", default_value_t)]
    compat: Compat,
    #[command(flatten)]
    configured: Configured,
    #[command(flatten)]
    color: ColorChoice,
    /// Form of errors.
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: MessageFormat,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut renderer = Renderer::stderr(arguments.color.color, arguments.format);
    let configuration = match arguments.configured.read_for_service(arguments.compat) {
        Ok(Some(configuration)) => configuration,
        Ok(None) => return renderer.failure(configured::NONE, USAGE),
        Err(message) => return renderer.failure(&message, FAILED),
    };
    match start(arguments, configuration) {
        Ok(Some((server, log))) => serve(&server, log.as_deref(), &mut renderer),
        Ok(None) => ExitCode::SUCCESS,
        Err(message) => renderer.failure(&message, FAILED),
    }
}

/// A server, and the file where its requests are told.
type Started = (Server, Option<Arc<AccessLog>>);

/// Starts a server; none where it is only to be checked.
fn start(arguments: &Arguments, configuration: Configuration) -> Result<Option<Started>, String> {
    let log = arguments.access_log.as_deref().filter(|_| !arguments.check);
    let log = log.map(|path| AccessLog::open(path).map(Arc::new)).transpose()?;
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = arguments.threads.unwrap_or(cores).max(1);
    let options = Options {
        given: Given {
            rules: arguments.auth.clone(),
            archives: arguments.archives.clone(),
            classified_for: Duration::from_secs(arguments.enc_ttl),
            is_authority: arguments.ca,
            authority_conf: arguments.ca_conf.clone(),
            machine: machine::name(),
            addresses: machine::addresses(),
            versions: arguments
                .code_id_command
                .clone()
                .zip(arguments.code_content_command.clone())
                .map(|(code_id, content)| Versions { code_id, content }),
            limits: arguments
                .limits
                .iter()
                .cloned()
                .chain([
                    ("timeout".to_owned(), arguments.timeout.into()),
                    ("pure_programs".to_owned(), compile_arguments::programs(&arguments.pure_programs)),
                ])
                .collect(),
            ruby: arguments.ruby.clone(),
            proxies: arguments.proxy.iter().map(IpAddr::to_canonical).collect(),
        },
        address: arguments.address,
        port: arguments.port,
        threads,
        queue: arguments.queue.unwrap_or(8 * threads),
        report_threads: arguments.report_threads.unwrap_or(threads.max(REPORTS)),
        retry_after: arguments.retry_after,
        zips: arguments.compress,
        metrics: arguments.metrics,
        notices: Notices::to(tell),
        accesses: accesses(log.clone()),
        configuration,
    };
    if arguments.check {
        let found = check(options)?;
        found.doubts.iter().for_each(|doubt| output::note(&format!("Warning: {doubt}")));
        output::print(&found.to_string()).map_err(|error| format!("Nothing can be printed: {error}"))?;
        return Ok(None);
    }
    Ok(Some((Server::start(options)?, log)))
}

/// Waits for signals, and does what they ask for.
fn serve(server: &Server, log: Option<&AccessLog>, renderer: &mut Renderer) -> ExitCode {
    let mut signals = match Signals::new([SIGHUP, SIGTERM, SIGINT]) {
        Ok(signals) => signals,
        Err(error) => return renderer.failure(&format!("Signals can't be waited for: {error}"), FAILED),
    };
    output::note(&format!("Listening on {}", server.address()));
    notify(&[sd_notify::NotifyState::Ready]);
    for signal in signals.forever() {
        if signal != SIGHUP {
            break;
        }
        notify(&[sd_notify::NotifyState::Reloading]);
        if let Some(Err(why)) = log.map(AccessLog::reopen) {
            output::note(&format!("Error: Requests are told where they were: {why}"));
        }
        match server.reload() {
            Ok(()) => output::note("Notice: The configuration was read anew"),
            Err(why) => output::note(&format!("Error: The configuration stays as it was: {why}")),
        }
        notify(&[sd_notify::NotifyState::Ready]);
    }
    notify(&[sd_notify::NotifyState::Stopping]);
    end_at_last(signals);
    server.stop();
    ExitCode::SUCCESS
}

/// How long a stop may take: the server's own minute for connections, and what they leave behind.
const STOP: Duration = Duration::from_secs(70);

/// Ends this process, whatever is under way, with the next signal or when a stop takes too long: a compile may run for minutes.
fn end_at_last(mut signals: Signals) {
    let end = |why: &str| -> ! {
        output::note(&format!("Error: What is under way is given up: {why}"));
        std::process::exit(i32::from(FAILED))
    };
    std::thread::spawn(move || {
        if signals.forever().any(|signal| signal != SIGHUP) {
            end("a second signal");
        }
    });
    std::thread::spawn(move || {
        std::thread::sleep(STOP);
        end("it takes more than a minute");
    });
}

/// Tells systemd, where that has started this process.
fn notify(states: &[sd_notify::NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        output::note(&format!("Warning: systemd can't be told: {error}"));
    }
}

fn tell(notice: Notice) {
    let Notice { level, source, message } = notice;
    let source = if source == "Puppet" { String::new() } else { format!("{source}: ") };
    let mut name = level;
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    output::note(&visible_line(&format!("{name}: {source}{message}")));
}

/// The file that `--access-log` names.
struct AccessLog {
    path: PathBuf,
    file: Mutex<File>,
}

impl AccessLog {
    fn open(path: &Path) -> Result<AccessLog, String> {
        Ok(AccessLog { path: path.to_path_buf(), file: Mutex::new(AccessLog::opened(path)?) })
    }

    fn opened(path: &Path) -> Result<File, String> {
        let opened = OpenOptions::new().create(true).append(true).open(path);
        opened.map_err(|error| format!("{} can't be written: {error}", path.display()))
    }

    /// Goes on with the file that has the name now: what rotates logs has given it another one.
    fn reopen(&self) -> Result<(), String> {
        let file = AccessLog::opened(&self.path)?;
        *self.file.lock().unwrap_or_else(PoisonError::into_inner) = file;
        Ok(())
    }

    fn tell(&self, access: &AccessRecord<'_>) {
        let line = access.to_json() + "\n";
        let written = self.file.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
        if let Err(error) = written {
            output::note(&format!("Error: A request can't be told: {error}"));
        }
    }
}

/// Each request as a line.
fn accesses(log: Option<Arc<AccessLog>>) -> Accesses {
    match log {
        None => Accesses::to(|access: &AccessRecord<'_>| output::note(&access.to_json())),
        Some(log) => Accesses::to(move |access: &AccessRecord<'_>| log.tell(access)),
    }
}
