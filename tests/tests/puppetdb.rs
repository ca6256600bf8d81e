//! Exported resources and facts by way of a real PuppetDB: what one node exports another one collects, over plain
//! HTTP and over TLS, as it would by way of a folder of catalogs.

use std::process::{Command, Output};

use bunraku_tests::{bunraku, puppetdb::PuppetDb};
use serde_json::{Value, json};

const EXPORTS: &str = "@@notify { 'from db': message => 'über', tag => 'x', loglevel => 'info' }
    @@notify { 'other': tag => 'y', withpath => true } notify { 'own': }";
const COLLECTS: &str = "@@notify { 'from web': tag => 'x' } Notify <<| tag == 'x' or withpath == true |>>";

fn compile(arguments: &[&str]) -> Output {
    let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
    command.arg("compile").args(arguments).output().expect("Bunraku starts")
}

/// The resources of a catalog that compiled, but for what names no resource of the manifest.
fn notifies(output: &Output) -> Vec<Value> {
    let catalog: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("no catalog: {}", String::from_utf8_lossy(&output.stderr)));
    let all = catalog["resources"].as_array().cloned().unwrap_or_default();
    all.into_iter().filter(|resource| resource["type"] == "Notify").collect()
}

#[test]
fn nodes_meet_in_puppetdb() {
    let db = match PuppetDb::start().expect("what is installed starts") {
        Ok(db) => db,
        Err(why) => {
            eprintln!("SKIPPED puppetdb: 1 test, since {why}");
            return;
        }
    };
    let folder = tempfile::tempdir().expect("a folder can be made");
    let folder = folder.path().to_str().expect("a path in UTF-8");
    let plain = format!("http://127.0.0.1:{}", db.port);
    let tls = format!("https://localhost:{}", db.tls_port);
    let [ca, cert, key] =
        ["ca.pem", "client.pem", "client.key"].map(|name| db.file(name).display().to_string());
    let certified = ["--localcacert", &ca, "--hostcert", &cert, "--hostprivkey", &key];

    // Over TLS, the catalog is taken in.
    let export = ["--storeconfigs", &tls, "--replace-catalog", "-e", EXPORTS, "db"];
    let exported = compile(&[&certified[..], &export].concat());
    assert!(exported.status.success(), "{}", String::from_utf8_lossy(&exported.stderr));
    let stored = "/pdb/query/v4/catalogs/db/resources";
    db.wait_for(stored, |body| body.contains("from db")).expect("PuppetDB takes the catalog in");
    let (_, body) = db.request("GET", stored, "").expect("PuppetDB answers");
    let resources: Vec<Value> = serde_json::from_str(&body).expect("JSON");
    let found = resources.iter().find(|resource| resource["title"] == "from db").expect("it is there");
    assert_eq!(found["exported"], true);
    assert_eq!(found["parameters"], json!({"message": "über", "tag": "x", "loglevel": "info"}));

    // What comes back is what a folder gives, whichever way it is asked.
    let local = ["--storeconfigs", folder, "-e"];
    assert!(compile(&[&local[..], &[EXPORTS, "db"]].concat()).status.success());
    let wanted = notifies(&compile(&[&local[..], &[COLLECTS, "web"]].concat()));
    assert_eq!(wanted.len(), 3);
    let by_plain = compile(&["--storeconfigs", &plain, "-e", COLLECTS, "web"]);
    assert_eq!(notifies(&by_plain), wanted);
    let by_tls = compile(&[&certified[..], &["--storeconfigs", &tls, "-e", COLLECTS, "web"]].concat());
    assert_eq!(notifies(&by_tls), wanted);

    // Nobody is let in without a certificate, and no server believed without its authority.
    let unknown = compile(&["--storeconfigs", &tls, "--localcacert", &ca, "-e", COLLECTS, "web"]);
    assert!(
        String::from_utf8_lossy(&unknown.stderr).contains("Could not ask PuppetDB at https://localhost:")
    );
    let unbelieved = compile(&["--storeconfigs", &tls, "-e", COLLECTS, "web"]);
    assert!(
        String::from_utf8_lossy(&unbelieved.stderr).contains("Could not ask PuppetDB at https://localhost:")
    );

    // A node's facts, where none are given.
    let facts = json!({"certname": "web", "environment": "production", "producer": "web",
        "producer_timestamp": "2026-01-01T00:00:00Z", "values": {"role": {"name": "mirror"}, "cores": 8}});
    let path =
        "/pdb/cmd/v1?command=replace_facts&version=5&certname=web&producer-timestamp=2026-01-01T00:00:00Z";
    let (status, body) = db.request("POST", path, &facts.to_string()).expect("PuppetDB answers");
    assert_eq!(status, 200, "{body}");
    db.wait_for("/pdb/query/v4/nodes/web/facts", |body| body.contains("mirror")).expect("it takes facts in");
    let code = "notify { \"${facts['role']['name']} ${facts['cores'] + 1}\": }";
    let with_facts = notifies(&compile(&["--storeconfigs", &plain, "-e", code, "web"]));
    assert_eq!(with_facts[0]["title"], "mirror 9");
}
