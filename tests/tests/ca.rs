//! The certificate authority's command and folder: what it makes is good for Ruby's OpenSSL and for `openssl`, `puppetserver ca` and
//! real Puppet Server go on with it.

use bunraku_tests::ca::{Site, by_ruby, ca, ended, let_list_end, list_of, request, site, verifies};
use bunraku_tests::http::authority::Authority;
use bunraku_tests::http::puppet_server::PuppetServer;
use bunraku_tests::oracle;
use bunraku_tests::programs::ok;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use std::process::Command;

#[test]
fn what_is_made_is_good_for_others() {
    let site = site("");
    ca(&site, &["generate", "--certname", "web01.example.com,web02.example.com"], 0);
    for name in ["localhost", "web01.example.com", "web02.example.com"] {
        verifies(&site, name).expect("openssl takes it");
    }
    // The form is that of what Puppet Server 7.9.5 signs; the last number is ca_ttl and a day.
    let told = by_ruby(&site, "localhost");
    assert_eq!(
        told,
        "key true true\ncrl true 1 []\nstore ok\n\
         /CN=Puppet CA: localhost by /CN=Puppet CA: localhost 1 2 sha256WithRSAEncryption 157766400\n  nsComment\n  \
         authorityKeyIdentifier\n  subjectKeyIdentifier\n  basicConstraints critical\n  keyUsage critical\n\
         /CN=localhost by /CN=Puppet CA: localhost 2 2 sha256WithRSAEncryption 157766400\n  nsComment\n  \
         authorityKeyIdentifier\n  subjectKeyIdentifier\n  1.3.6.1.4.1.34380.1.3.39\n  subjectAltName\n  \
         basicConstraints critical\n  extendedKeyUsage critical\n  keyUsage critical\n"
    );
    ca(&site, &["revoke", "--certname", "web01.example.com"], 0);
    ca(&site, &["revoke", "--certname", "web01.example.com"], 0);
    assert!(verifies(&site, "web01.example.com").unwrap_err().contains("certificate revoked"));
    verifies(&site, "web02.example.com").expect("openssl takes it");
    let told = by_ruby(&site, "web01.example.com");
    assert!(told.contains("crl true 1 [3]\nstore certificate revoked\n"), "{told}");
    // This machine's copy is the same.
    let [own, copy] = [site.cadir().join("ca_crl.pem"), site.folder().join("ssl/crl.pem")].map(fs::read);
    assert_eq!(own.expect("it is there"), copy.expect("it is there"));
}

#[test]
fn its_revocation_list_is_renewed() {
    let site = site("");
    ca(&site, &["generate", "--certname", "gone,here"], 0);
    ca(&site, &["revoke", "--certname", "gone"], 0);
    let_list_end(&site, -60);
    let (number, ..) = list_of(&site);
    assert!(verifies(&site, "here").unwrap_err().contains("CRL has expired"));
    let renewed = ca(&site, &["renew-list"], 0);
    assert_eq!(renewed.out, "Renewed the revocation list\n");
    assert_eq!(list_of(&site), (number + 1, true, 1));
    verifies(&site, "here").expect("openssl takes it");
    assert!(verifies(&site, "gone").unwrap_err().contains("certificate revoked"));
    let [own, copy] = [site.cadir().join("ca_crl.pem"), site.folder().join("ssl/crl.pem")].map(fs::read);
    assert_eq!(own.expect("it is there"), copy.expect("it is there"));
}

#[test]
fn its_files_are_puppet_servers() {
    let site = site("");
    let mode = |name: &str| fs::metadata(site.cadir().join(name)).expect(name).mode() & 0o777;
    assert_eq!(mode("ca_key.pem"), 0o640);
    for name in ["ca_crt.pem", "ca_crl.pem", "ca_pub.pem", "serial", "inventory.txt", "signed/localhost.pem"]
    {
        assert_eq!(mode(name), 0o644, "{name}");
    }
    let read = |name: &str| fs::read_to_string(site.cadir().join(name)).expect(name);
    assert_eq!(read("serial"), "0003");
    let first = |name: &str| read(name).lines().next().map(str::to_owned).unwrap_or_default();
    assert_eq!(first("ca_key.pem"), "-----BEGIN RSA PRIVATE KEY-----");
    assert_eq!(first("ca_pub.pem"), "-----BEGIN PUBLIC KEY-----");
    let inventory = read("inventory.txt");
    let form = |line: &str, serial: &str, name: &str| {
        let parts: Vec<&str> = line.splitn(4, ' ').collect();
        let is_time = |text: &str| text.len() == 22 && text.ends_with("UTC") && text.as_bytes()[10] == b'T';
        parts[0] == serial && is_time(parts[1]) && is_time(parts[2]) && parts[3] == name
    };
    let lines: Vec<&str> = inventory.lines().collect();
    assert!(lines.len() == 2 && inventory.ends_with('\n'), "{inventory}");
    assert!(
        form(lines[0], "0x0001", "/CN=Puppet CA: localhost") && form(lines[1], "0x0002", "/CN=localhost")
    );
    // A second one is not made over it, nor over half of one.
    let again = ca(&site, &["init"], 1);
    assert!(again.err.contains("Existing file at"), "{}", again.err);
    fs::remove_file(site.cadir().join("serial")).expect("it is there");
    let half = ca(&site, &["list"], 1);
    assert!(
        half.err.contains("Cannot initialize CA with partial state; need all files or none."),
        "{}",
        half.err
    );
}

#[test]
fn many_at_once_get_numbers_of_their_own() {
    let site = site("");
    let folder = site.folder().join("requests");
    fs::create_dir_all(&folder).expect("folders can be made");
    let names: Vec<String> = (0..12).map(|n| format!("n{n}.example.com")).collect();
    for name in &names {
        request(&folder, name, &[]);
        fs::copy(folder.join(format!("{name}.csr")), site.cadir().join(format!("requests/{name}.pem")))
            .expect("files can be copied");
    }
    std::thread::scope(|threads| {
        for name in &names {
            threads.spawn(|| ca(&site, &["sign", "--certname", name], 0));
        }
        threads.spawn(|| ca(&site, &["revoke", "--certname", "localhost"], 0));
    });
    let inventory = fs::read_to_string(site.cadir().join("inventory.txt")).expect("it is there");
    let mut serials: Vec<&str> = inventory.lines().filter_map(|line| line.split(' ').next()).collect();
    serials.sort_unstable();
    let wanted: Vec<String> = (1..=14).map(|serial| format!("0x{serial:04X}")).collect();
    assert_eq!(serials, wanted);
    names.iter().for_each(|name| verifies(&site, name).expect("openssl takes it"));
}

#[test]
fn the_command_says_what_puppetservers_says() {
    let site = site("");
    let put = |name: &str, more: &[&str]| {
        let request = request(site.folder(), name, more);
        fs::write(site.cadir().join(format!("requests/{name}.pem")), request).expect("files can be written");
    };
    assert_eq!(ca(&site, &["list"], 0).out, "No certificates to list\n");
    let none = ca(&site, &["sign", "--all"], 24);
    assert_eq!(none.err, "Error:\n    No waiting certificate requests to sign\n");
    put("a", &[]);
    put("bb", &["-addext", "subjectAltName=DNS:bb,DNS:other,IP:10.0.0.1"]);
    put("c", &["-addext", "1.3.6.1.4.1.34380.1.3.1=ASN1:UTF8String:x"]);
    let listed = ca(&site, &["list"], 0).out;
    let ends = [
        "",
        "\talt names: [\"IP:10.0.0.1\", \"DNS:bb\", \"DNS:other\"]",
        "\tauthorization extensions: [pp_authorization: x]",
    ];
    let lines: Vec<&str> = listed.lines().collect();
    assert_eq!(lines[0], "Requested Certificates:");
    for ((line, name), end) in lines[1..].iter().zip(["a ", "bb", "c "]).zip(ends) {
        assert!(line.starts_with(&format!("    {name}       (SHA256)  ")) && line.ends_with(end), "{line}");
    }
    let signed = ca(&site, &["sign", "--all", "--ttl", "1h"], 1);
    assert_eq!(signed.out, "Successfully signed certificate request for a\n");
    for why in [
        "CSR 'bb' contains extra subject alternative names (IP:10.0.0.1, DNS:other), which are disallowed.",
        "CSR 'c' contains an authorization extension, which is disallowed.",
    ] {
        assert!(signed.err.contains(why), "{}", signed.err);
    }
    // The authority's own certificate is no node's: revoking it would cut off all.
    let told = ca(&site, &["revoke", "--certname", "bb,none,ca"], 1);
    assert_eq!(
        told.err,
        "Error:\n    Could not revoke unsigned csr for bb\nError:\n    Could not find certificate for none\nError:\n    Could not find certificate for ca\n"
    );
    assert_eq!(ca(&site, &["revoke", "--certname", "bb"], 24).out, "");
    let cleaned = ca(&site, &["clean", "--certname", "a"], 0);
    assert_eq!(cleaned.out, "Certificate for a has been revoked\nCleaned files related to a\n");
    assert_eq!(ca(&site, &["clean", "--certname", "bb"], 24).out, "Cleaned files related to bb\n");
    let missing = ca(&site, &["list", "--certname", "localhost,a"], 1).out;
    assert!(missing.starts_with("Signed Certificates:\n    localhost       (SHA256)  "), "{missing}");
    assert!(missing.ends_with("Missing Certificates:\n    a\n"), "{missing}");
    let json = ca(&site, &["list", "--all", "--format", "json"], 0).out;
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(json["signed"][0]["name"], "localhost");
    assert_eq!(json["requested"][0]["authorization_extensions"]["pp_authorization"], "x");
    assert_eq!(json["revoked"], serde_json::json!([]));
    // What ca.conf allows is signed.
    fs::create_dir_all(site.folder().join("puppetserver/conf.d")).expect("folders can be made");
    let conf = "certificate-authority: { allow-authorization-extensions: true }\n";
    fs::write(site.folder().join("puppetserver/conf.d/ca.conf"), conf).expect("files can be written");
    ca(&site, &["sign", "--certname", "c"], 0);
    let listed = ca(&site, &["list", "--certname", "c"], 0).out;
    assert!(listed.contains("authorization extensions: [pp_authorization: x]"), "{listed}");
}

#[test]
fn keys_are_elliptic_where_that_is_wanted() {
    let site = site("key_type = ec");
    ca(&site, &["generate", "--certname", "web01"], 0);
    for name in ["localhost", "web01"] {
        verifies(&site, name).expect("openssl takes it");
        let key = site.folder().join(format!("ssl/private_keys/{name}.pem"));
        let output = Command::new("openssl").args(["pkey", "-noout", "-text", "-in"]).arg(key).output();
        let text = String::from_utf8_lossy(&output.expect("openssl runs").stdout).into_owned();
        assert!(text.contains("NIST CURVE: P-256"), "{text}");
    }
    let server = site.serve(&["--ca", "--compat", "7"]).expect("the server starts");
    let run = site.agent(oracle::SEVEN, "waits.example.com", server.port(), &[]).expect("it runs");
    ended(&run, 1);
    ca(&site, &["sign", "--certname", "waits.example.com"], 0);
    ended(&site.agent(oracle::SEVEN, "waits.example.com", server.port(), &[]).expect("it runs"), 2);
}

/// An authority of a company, and one below it, by `openssl`: imported, and what it signs is good for the whole chain.
#[test]
fn authorities_are_imported() {
    let made = Site::new("").expect("a site can be made");
    let folder = made.folder().join("company");
    fs::create_dir_all(&folder).expect("folders can be made");
    let script = "set -e
        printf '[ca]\\ndefault_ca=d\\n[d]\\ndatabase=index\\ncrlnumber=number\\ndefault_md=sha256\\ndefault_crl_days=30\\n[req]\\ndistinguished_name=n\\n[n]\\n' > cnf
        : > index; echo 01 > number
        openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=Company -keyout root.key -out root.pem
        openssl req -new -newkey rsa:2048 -nodes -subj '/O=Company/CN=Puppet below' -keyout ca.key -out ca.csr
        printf 'basicConstraints=critical,CA:true\\nkeyUsage=critical,keyCertSign,cRLSign\\nsubjectKeyIdentifier=hash\\n' > ext
        openssl x509 -req -in ca.csr -CA root.pem -CAkey root.key -set_serial 77 -days 30 -extfile ext -out ca.pem
        openssl ca -config cnf -gencrl -cert root.pem -keyfile root.key -out root.crl
        cat ca.pem root.pem > bundle";
    ok(Command::new("sh").args(["-c", script]).current_dir(&folder)).expect("openssl makes authorities");
    let file = |name: &str| folder.join(name).display().to_string();
    let import = |key: &str, bundle: &str| {
        let (key, bundle, lists) = (file(key), file(bundle), file("root.crl"));
        made.ca(&["import", "--private-key", &key, "--cert-bundle", &bundle, "--crl-chain", &lists])
            .expect("it runs")
    };
    let other = import("root.key", "ca.pem");
    ended(&other, 1);
    assert!(other.err.contains("Could not find certificate matching private key"), "{}", other.err);
    let half = import("ca.key", "ca.pem");
    ended(&half, 1);
    assert!(half.err.contains("Leaf certificate could not be validated"), "{}", half.err);
    assert!(!made.cadir().exists());
    let done = import("ca.key", "bundle");
    ended(&done, 0);
    assert_eq!(done.out, format!("Import succeeded. Find your files in {}\n", made.cadir().display()));
    ca(&made, &["generate", "--certname", "web01"], 0);
    let all = |name: &str| {
        let mut command = Command::new("openssl");
        command.args(["verify", "-crl_check_all", "-CAfile"]).arg(made.cadir().join("ca_crt.pem"));
        command.arg("-CRLfile").arg(made.cadir().join("ca_crl.pem"));
        ok(command.arg(made.cadir().join(format!("signed/{name}.pem"))))
    };
    all("localhost").and_then(|()| all("web01")).expect("openssl takes the chain");
    ca(&made, &["revoke", "--certname", "web01"], 0);
    assert!(all("web01").is_err());
    all("localhost").expect("openssl takes the chain");
}

/// `puppetserver ca` 2.4.0, unchanged, asks this server; and works on the folder itself.
#[test]
fn puppetserver_ca_administers_it() {
    let site = site("");
    if site.puppetserver_ca(&["--version"], 1).is_err() {
        eprintln!("SKIPPED puppetserver ca: Debian's package puppetserver is not here");
        return;
    }
    let server = site.serve(&["--ca"]).expect("the server starts");
    let run = |arguments: &[&str], status: i32| {
        let ran = site.puppetserver_ca(arguments, server.port()).expect("it runs");
        ended(&ran, status);
        ran
    };
    let made = run(&["generate", "--certname", "web01"], 0);
    assert!(made.out.contains("Successfully submitted certificate request for web01"), "{}", made.out);
    assert!(made.out.contains("Successfully signed certificate request for web01"), "{}", made.out);
    verifies(&site, "web01").expect("openssl takes it");
    // Both list the same.
    assert_eq!(run(&["list", "--all"], 0).out, ca(&site, &["list", "--all"], 0).out);
    run(&["revoke", "--certname", "web01"], 0);
    assert!(verifies(&site, "web01").is_err());
    run(&["clean", "--certname", "web01"], 0);
    assert_eq!(run(&["list", "--all"], 0).out, ca(&site, &["list", "--all"], 0).out);
    drop(server);
    // It takes the folder over: it loads and checks it, and signs the next.
    let taken = site.puppetserver_ca(&["generate", "--ca-client", "--force", "--certname", "next"], 1);
    let taken = taken.expect("it runs");
    ended(&taken, 0);
    verifies(&site, "next").expect("openssl takes it");
    // One that it has made, of a root and an authority below, is gone on with here.
    let other = Site::new("").expect("a site can be made");
    ended(&other.puppetserver_ca(&["setup"], 1).expect("it runs"), 0);
    ca(&other, &["generate", "--certname", "below,gone"], 0);
    ca(&other, &["revoke", "--certname", "gone"], 0);
    let all = |name: &str| {
        let cadir = other.cadir();
        let mut command = Command::new("openssl");
        command.args(["verify", "-crl_check_all", "-CAfile"]).arg(cadir.join("ca_crt.pem"));
        command.arg("-CRLfile").arg(cadir.join("ca_crl.pem"));
        ok(command.arg(cadir.join(format!("signed/{name}.pem"))))
    };
    all("localhost").and_then(|()| all("below")).expect("openssl takes the chain");
    let server = other.serve(&["--ca", "--compat", "7"]).expect("the server starts");
    ended(&other.agent(oracle::SEVEN, "waits", server.port(), &[]).expect("it runs"), 1);
    ca(&other, &["sign", "--certname", "waits"], 0);
    ended(&other.agent(oracle::SEVEN, "waits", server.port(), &[]).expect("it runs"), 2);
    assert!(all("gone").unwrap_err().contains("certificate revoked"));
    // And back again, with the number after it.
    ca(&site, &["generate", "--certname", "last"], 0);
    verifies(&site, "last").expect("openssl takes it");
    let told = by_ruby(&site, "last");
    assert!(told.contains("/CN=last by /CN=Puppet CA: localhost 5 2"), "{told}");
}

/// Real Puppet Server starts over the folder, answers what is written of it, and hands the folder back.
#[test]
fn puppet_server_goes_on_with_the_folder() {
    let made = Authority::new().expect("an authority can be made");
    ca(&made.site, &["generate", "--certname", "before,gone"], 0);
    ca(&made.site, &["revoke", "--certname", "gone"], 0);
    ca(&made.site, &["clean", "--certname", "gone"], 0);
    let server = match PuppetServer::start_authority(&made.site, &made.clients) {
        Ok(server) => server,
        Err(why) if why.contains("is not installed") => {
            eprintln!("SKIPPED Puppet Server over the folder: {why}");
            return;
        }
        Err(why) => panic!("{why}"),
    };
    let answers = made.ask(server.port()).expect("there are answers");
    drop(server);
    let signed = answers.iter().find(|answer| answer.name == "sign two").expect("it is asked");
    assert_eq!(signed.status, 204, "{signed:?}");
    verifies(&made.site, "before").and_then(|()| verifies(&made.site, "two")).expect("openssl takes them");
    // Numbers go on: two for the authority and this machine, two before; four that Puppet Server has signed.
    ca(&made.site, &["generate", "--certname", "after"], 0);
    verifies(&made.site, "after").expect("openssl takes it");
    let told = by_ruby(&made.site, "after");
    assert!(told.contains("crl true 1 [4, 5, 8, 7]"), "{told}");
    assert!(told.contains("/CN=after by /CN=Puppet CA: localhost 9 2"), "{told}");
    let listed = ca(&made.site, &["list", "--all"], 0).out;
    for name in ["before", "after", "two", "c.example.com"] {
        assert!(listed.contains(&format!("    {name} ")), "{listed}");
    }
}

/// The folder's owner may lay links in it, and whoever runs the command follows none of them; the folder itself may be one.
#[test]
fn links_in_the_folder_lead_nowhere() {
    let site = site("");
    let away = site.folder().join("away");
    fs::create_dir_all(&away).expect("folders can be made");
    let listed = |folder: &Path| fs::read_dir(folder).expect("it is there").count();
    for name in ["inventory.txt", "serial", "signed", "requests", "ca_crl.pem", "ca_key.pem", "ca_pub.pem"] {
        let (own, there) = (site.cadir().join(name), away.join(name));
        fs::rename(&own, &there).expect("it can be moved");
        symlink(&there, &own).expect("links can be made");
        let before =
            if there.is_dir() { Err(listed(&there)) } else { Ok(fs::read(&there).expect("it is there")) };
        for arguments in
            [&["generate", "--certname", "new"][..], &["list"], &["clean", "--certname", "localhost"]]
        {
            let refused = ca(&site, arguments, 1);
            let wanted = format!("{} can't be used: {name} is a link", own.display());
            assert!(refused.err.contains(&wanted), "{name}: {}", refused.err);
        }
        let after =
            if there.is_dir() { Err(listed(&there)) } else { Ok(fs::read(&there).expect("it is there")) };
        assert!(before == after, "{name}");
        fs::remove_file(&own).expect("it is a link");
        fs::rename(&there, &own).expect("it can be moved");
    }
    // The folder itself is where the administrator has it.
    let [own, real] = [site.cadir(), site.cadir().with_file_name("real")];
    fs::rename(&own, &real).expect("it can be moved");
    symlink("real", &own).expect("links can be made");
    ca(&site, &["generate", "--certname", "new"], 0);
    ca(&site, &["clean", "--certname", "new"], 0);
    assert!(fs::read_to_string(real.join("inventory.txt")).expect("it is there").contains("/CN=new"));
}
