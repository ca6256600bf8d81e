//! Fleets on an engine say what one process says, to the byte: by a bucket of S3, where shards are done by processes of their own.

use bunraku_tests::engine_site::{Site, output};
use bunraku_tests::s3::S3;
use std::process::Command;

/// The same with what names the server.
fn by(mut command: Command, server: &S3) -> Command {
    command.envs(server.variables());
    command
}

#[test]
fn a_diff_by_a_bucket_is_that_of_one_process() {
    let server = match S3::start().expect("it starts") {
        Ok(server) => server,
        Err(reason) => return eprintln!("SKIPPED: {reason}"),
    };
    let site = Site::new(23);
    let one = output(&mut site.diff(&[]));
    let on = ["--on", "s3://bunraku/fleets/own", "--shard", "4"];
    let begun = output(&mut by(site.diff(&[&on[..], &["--detach"]].concat()), &server));
    assert_eq!(begun.0, Some(0), "{}", begun.2);
    let run = begun.1.trim_end();
    assert!(run.starts_with("s3://bunraku/fleets/own/runs/"), "{run}");
    let shard = |number: &str, cache: &str| {
        let mut command = site.bunraku(&["fleet", "shard", run, "--index", number, "--cache"]);
        command.arg(site.path(cache));
        by(command, &server)
    };
    // Two that do the same at once: the first result stands.
    let twice = ["one", "two"].map(|cache| shard("2", cache).spawn().expect("it starts"));
    for mut child in twice {
        assert!(child.wait().expect("it ends").success());
    }
    let again = output(&mut shard("2", "one"));
    assert!(again.0 == Some(0) && again.2.contains("shard 2 is done"), "{}", again.2);
    let wrong = output(&mut shard("6", "one"));
    assert!(wrong.0 == Some(1) && wrong.2.contains("There are 6 shards, and no 6"), "{}", wrong.2);
    let status = output(&mut by(site.bunraku(&["fleet", "status", run]), &server));
    assert_eq!(status.1, "1 of 6 shards are done, 23 nodes in all\n", "{}", status.2);
    // A worker does what is left, and ends.
    let worked = output(&mut by(site.worker("s3://bunraku/fleets/own/", "three"), &server));
    assert!(worked.0 == Some(0) && worked.2.contains("5 jobs are done"), "{}", worked.2);
    let other = output(&mut by(site.diff(&on), &server));
    assert_eq!((other.0, other.1), (one.0, one.1), "{}", other.2);
    let none = output(&mut by(site.diff(&["--on", "s3://nobodys/x"]), &server));
    assert!(none.0 == Some(1) && none.2.contains("s3://nobodys/x/objects/"), "{}", none.2);
}

/// A server without TLS has to be allowed; which variable does that is said.
#[test]
fn a_server_without_tls_is_told() {
    let site = Site::new(1);
    let mut command = site.diff(&["--on", "s3://bunraku/x"]);
    command.env("AWS_ENDPOINT_URL", "http://127.0.0.1:1").env_remove("AWS_ALLOW_HTTP");
    let told = output(&mut command);
    let wanted = "Could not use s3://bunraku/x: its server http://127.0.0.1:1 has no TLS: AWS_ALLOW_HTTP=true allows that";
    assert!(told.0 == Some(1) && told.2.contains(wanted), "{}", told.2);
}
