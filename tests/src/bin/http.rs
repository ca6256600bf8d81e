//! Answers of compile servers to the requests of `spec/http/`.
//!
//! `cargo run -p bunraku-tests --bin http -- capture` asks real Puppet Server and writes the answers; `verify` asks it and
//! says which differ from those that are written. `run` asks Bunraku and prints every difference.

use bunraku_tests::http::bunraku_server::BunrakuServer;
use bunraku_tests::http::client::Client;
use bunraku_tests::http::puppet_server::PuppetServer;
use bunraku_tests::http::site::Site;
use bunraku_tests::http::{self, Shown, authority};
use std::process::ExitCode;

fn main() -> ExitCode {
    let command = std::env::args().nth(1).unwrap_or_default();
    let done = match command.as_str() {
        "capture" => ask()
            .and_then(|answers| http::write_answers(&answers))
            .and_then(|()| authority::write_answers(&ask_authority()?)),
        "verify" => ask().and_then(|answers| verify(&answers, &http::answers()?)).and_then(|()| {
            let answers = ask_authority()?;
            verify(&answers, &authority::answers()?)
        }),
        "capture-authority" => ask_authority().and_then(|answers| authority::write_answers(&answers)),
        "run" => run(),
        _ => Err("usage: http capture|capture-authority|verify|run".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("http: {message}");
            ExitCode::FAILURE
        }
    }
}

fn ask() -> Result<Vec<Shown>, String> {
    let site = Site::new()?;
    let server = PuppetServer::start(&site)?;
    let client = Client::new(site.authority(), server.port());
    let ask = |request| http::ask(&site, &client, request);
    http::requests()?.iter().map(ask).collect()
}

/// Puppet Server as the authority, over a folder that `bunraku ca` has made.
fn ask_authority() -> Result<Vec<Shown>, String> {
    let made = authority::Authority::new()?;
    let server = PuppetServer::start_authority(&made.site, &made.clients)?;
    made.ask(server.port())
}

fn verify(answers: &[Shown], before: &[Shown]) -> Result<(), String> {
    let differ: Vec<&str> =
        answers.iter().filter(|answer| !before.contains(answer)).map(|answer| answer.name.as_str()).collect();
    println!("http: {} of {} answers as they are written", answers.len() - differ.len(), answers.len());
    if differ.is_empty() { Ok(()) } else { Err(format!("other answers: {}", differ.join(", "))) }
}

fn run() -> Result<(), String> {
    let site = Site::new()?;
    let rules = site.folder().join("auth.conf");
    let server = BunrakuServer::start(&site, &["--compat", "7", "--auth", &rules.display().to_string()])?;
    let client = Client::new(site.authority(), server.port());
    let (wanted, mut differ) = (http::answers()?, 0);
    for request in http::requests()? {
        let got = http::ask(&site, &client, &request)?;
        let want = wanted.iter().find(|answer| answer.name == request.name);
        if want != Some(&got) {
            differ += 1;
            let line = |answer: &Shown| serde_json::to_string(answer).expect("an answer is JSON");
            println!(
                "{}\n  wanted {}\n  got    {}",
                request.name,
                want.map_or_else(String::new, line),
                line(&got)
            );
        }
    }
    println!("http: {differ} of {} answers differ", wanted.len());
    Ok(())
}
