//! Answers of compile servers to the requests of `spec/http/`.
//!
//! `cargo run -p bunraku-tests --bin http -- capture` asks real Puppet Server and writes the answers; `verify` asks it and
//! says which differ from those that are written.

use bunraku_tests::http::client::Client;
use bunraku_tests::http::puppet_server::PuppetServer;
use bunraku_tests::http::site::Site;
use bunraku_tests::http::{self, Shown};
use std::process::ExitCode;

fn main() -> ExitCode {
    let command = std::env::args().nth(1).unwrap_or_default();
    let done = match command.as_str() {
        "capture" => ask().and_then(|answers| http::write_answers(&answers)),
        "verify" => ask().and_then(|answers| verify(&answers)),
        _ => Err("usage: http capture|verify".to_owned()),
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

fn verify(answers: &[Shown]) -> Result<(), String> {
    let before = http::answers()?;
    let differ: Vec<&str> =
        answers.iter().filter(|answer| !before.contains(answer)).map(|answer| answer.name.as_str()).collect();
    println!("http: {} of {} answers as they are written", answers.len() - differ.len(), answers.len());
    if differ.is_empty() { Ok(()) } else { Err(format!("other answers: {}", differ.join(", "))) }
}
