//! The certificate authority: what it makes is good for Ruby's OpenSSL and for `openssl`, real agents of Puppet 7.23 and 8.10 get
//! their certificates by it, `puppetserver ca` administers it, and goes on with its folder.

use bunraku_tests::ca::{Ran, Site};
use bunraku_tests::http::Shown;
use bunraku_tests::http::authority::{self, Authority};
use bunraku_tests::http::client::Client;
use bunraku_tests::http::puppet_server::PuppetServer;
use bunraku_tests::oracle;
use bunraku_tests::programs::ok;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

fn site(more: &str) -> Site {
    let site = Site::new(more).expect("a site can be made");
    let made = site.ca(&["init"]).expect("it runs");
    ended(&made, 0);
    site
}

fn ended(ran: &Ran, status: i32) {
    assert_eq!(ran.status, Some(status), "{}\n{}", ran.out, ran.err);
}

fn ca(site: &Site, arguments: &[&str], status: i32) -> Ran {
    let ran = site.ca(arguments).expect("it runs");
    ended(&ran, status);
    ran
}

/// Makes a key and a request in a folder, by `openssl`; `more` are its further arguments.
fn request(folder: &Path, name: &str, more: &[&str]) -> Vec<u8> {
    let [key, request] = ["key", "csr"].map(|ending| folder.join(format!("{name}.{ending}")));
    let mut command = Command::new("openssl");
    command.args(["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj"]);
    command.arg(format!("/CN={name}")).args(more).arg("-keyout").arg(key).arg("-out").arg(&request);
    ok(&mut command).expect("openssl makes requests");
    fs::read(request).expect("it is there")
}

/// Whether `openssl` takes a certificate, the authority's revocation list included.
fn verifies(site: &Site, name: &str) -> Result<(), String> {
    let cadir = site.cadir();
    let mut command = Command::new("openssl");
    command.args(["verify", "-x509_strict", "-crl_check", "-purpose", "sslclient", "-CAfile"]);
    command.arg(cadir.join("ca_crt.pem")).arg("-CRLfile").arg(cadir.join("ca_crl.pem"));
    ok(command.arg(cadir.join("signed").join(format!("{name}.pem"))))
}

/// What Ruby's OpenSSL says of the folder: a line for each thing.
fn by_ruby(site: &Site, name: &str) -> String {
    let script = r##"
        require 'openssl'
        cadir, name = ARGV
        ca = OpenSSL::X509::Certificate.new(File.read("#{cadir}/ca_crt.pem"))
        crl = OpenSSL::X509::CRL.new(File.read("#{cadir}/ca_crl.pem"))
        key = OpenSSL::PKey.read(File.read("#{cadir}/ca_key.pem"))
        cert = OpenSSL::X509::Certificate.new(File.read("#{cadir}/signed/#{name}.pem"))
        store = OpenSSL::X509::Store.new
        store.add_cert(ca)
        store.add_crl(crl)
        store.flags = OpenSSL::X509::V_FLAG_CRL_CHECK | OpenSSL::X509::V_FLAG_CRL_CHECK_ALL
        puts "key #{ca.check_private_key(key)} #{OpenSSL::PKey.read(File.read("#{cadir}/ca_pub.pem")).to_der == ca.public_key.to_der}"
        puts "crl #{crl.verify(ca.public_key)} #{crl.version} #{crl.revoked.map { |one| one.serial.to_i }}"
        puts "store #{store.verify(cert) ? 'ok' : store.error_string}"
        [ca, cert].each do |one|
          puts "#{one.subject} by #{one.issuer} #{one.serial} #{one.version} #{one.signature_algorithm} " \
            "#{(one.not_after - one.not_before).to_i}"
          one.extensions.each { |e| puts "  #{e.oid}#{' critical' if e.critical?}" }
        end
    "##;
    let output = Command::new("ruby").args(["-e", script]).arg(site.cadir()).arg(name).output();
    let output = output.expect("Ruby runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

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
    let told = ca(&site, &["revoke", "--certname", "bb,none"], 1);
    assert_eq!(
        told.err,
        "Error:\n    Could not revoke unsigned csr for bb\nError:\n    Could not find certificate for none\n"
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

const AUTOSIGN: &str = "autosign = $confdir/autosign";

/// A program that signs those whose request has a challenge of its own; and a file of names.
fn autosign(site: &Site, is_program: bool) {
    let path = site.folder().join("autosign");
    let text = match is_program {
        true => {
            "#!/bin/sh\n[ \"$1\" = first.example.com ] && openssl req -noout -verify -subject | grep -q \"$1\"\n"
        }
        false => "# nodes\nfirst.example.com\n",
    };
    fs::write(&path, text).expect("files can be written");
    let mode = if is_program { 0o755 } else { 0o644 };
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("modes can be set");
}

#[test]
fn agents_get_their_certificates() {
    for oracle in oracle::seven_and_eight("agents and their certificates") {
        let site = site(AUTOSIGN);
        autosign(&site, oracle.number == 7);
        let compat = oracle.number.to_string();
        let server = site.serve(&["--ca", "--compat", &compat]).expect("the server starts");
        let run = |name: &str| site.agent(oracle, name, server.port(), &[]).expect("it runs");
        let confdir = site.folder().join("agents/first.example.com/confdir");
        fs::create_dir_all(&confdir).expect("folders can be made");
        let asks = "extension_requests:\n  pp_role: web server\n";
        fs::write(confdir.join("csr_attributes.yaml"), asks).expect("files can be written");
        // One is signed at once, and gets its catalog in the same run.
        let first = run("first.example.com");
        ended(&first, 2);
        assert!(first.out.contains("hello first.example.com web server"), "{}", first.out);
        // Another waits until somebody signs it.
        let second = run("second.example.com");
        ended(&second, 1);
        let listed = ca(&site, &["list"], 0).out;
        assert!(listed.contains("    second.example.com "), "{listed}");
        ca(&site, &["sign", "--certname", "second.example.com"], 0);
        ended(&run("second.example.com"), 2);
        // Whoever is revoked is let in no more.
        ca(&site, &["revoke", "--certname", "second.example.com"], 0);
        std::thread::sleep(std::time::Duration::from_millis(1200));
        let revoked = run("second.example.com");
        ended(&revoked, 1);
        ended(&run("first.example.com"), 2);
    }
}

/// Agents of Puppet 8 have theirs renewed; those that the authority does not know any more do not.
#[test]
fn certificates_are_renewed() {
    for oracle in oracle::seven_and_eight("renewals").into_iter().filter(|oracle| oracle.number == 8) {
        let site = site("autosign = true");
        fs::create_dir_all(site.folder().join("puppetserver/conf.d")).expect("folders can be made");
        let conf = "certificate-authority: { allow-auto-renewal: true, auto-renewal-cert-ttl: 10d }\n";
        fs::write(site.folder().join("puppetserver/conf.d/ca.conf"), conf).expect("files can be written");
        let server = site.serve(&["--ca", "--compat", "8"]).expect("the server starts");
        let run =
            |more: &[&str]| site.agent(oracle, "old.example.com", server.port(), more).expect("it runs");
        ended(&run(&[]), 2);
        let certificate = || fs::read_to_string(site.certificate_of("old.example.com")).expect("it is there");
        let before = certificate();
        let renewed = run(&["--hostcert_renewal_interval=9y"]);
        ended(&renewed, 2);
        let after = certificate();
        assert_ne!(before, after, "{}\n{}", renewed.out, renewed.err);
        let kept = fs::read_to_string(site.cadir().join("signed/old.example.com.pem")).expect("it is there");
        assert_eq!(after.trim(), kept.trim());
        verifies(&site, "old.example.com").expect("openssl takes it");
        ended(&run(&[]), 2);
        // The one before is good for nothing new.
        fs::write(site.certificate_of("old.example.com"), &before).expect("files can be written");
        run(&["--hostcert_renewal_interval=9y"]);
        assert_eq!(certificate(), before);
    }
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

/// Agents that know one server only: it passes on what they ask of the authority.
#[test]
fn a_compile_server_passes_on_to_the_authority() {
    let authority = site("autosign = true");
    let at = authority.serve(&["--ca", "--compat", "7"]).expect("the server starts");
    // The compile server has a certificate of the authority's, and a configuration that names it.
    ca(&authority, &["generate", "--certname", "compiler", "--subject-alt-names", "localhost"], 0);
    let compiler = Site::new("").expect("a site can be made");
    let (ssl, from) = (compiler.folder().join("ssl"), authority.folder().join("ssl"));
    for folder in ["certs", "private_keys"] {
        fs::create_dir_all(ssl.join(folder)).expect("folders can be made");
    }
    for file in ["certs/ca.pem", "crl.pem", "certs/compiler.pem", "private_keys/compiler.pem"] {
        fs::copy(from.join(file), ssl.join(file)).expect("files can be copied");
    }
    let conf = fs::read_to_string(compiler.folder().join("puppet.conf")).expect("it is there");
    let own = format!("certname = compiler\nca_server = localhost\nca_port = {}\n", at.port());
    let conf = conf.replacen("certname = localhost\n", &own, 1);
    fs::write(compiler.folder().join("puppet.conf"), conf).expect("files can be written");
    let server = compiler.serve(&["--compat", "7"]).expect("the server starts");
    let run = |name: &str| compiler.agent(oracle::SEVEN, name, server.port(), &[]).expect("it runs");
    let first = run("node.example.com");
    ended(&first, 2);
    assert!(first.out.contains("hello node.example.com"), "{}", first.out);
    verifies(&authority, "node.example.com").expect("openssl takes it");
    // Nothing that administers is passed on.
    let refused = compiler.puppetserver_ca(&["list"], server.port());
    if let Ok(refused) = refused {
        ended(&refused, 1);
    }
    // An authority that does not answer is one error.
    drop(at);
    let gone = run("late.example.com");
    ended(&gone, 1);
    assert!(server.said().contains("could not be asked"), "{}", server.said());
}

fn differences(wanted: &[Shown], got: &[Shown]) -> String {
    assert_eq!(wanted.len(), got.len(), "an answer a request: `http -- capture-authority` writes them");
    let line = |answer: &Shown| serde_json::to_string(answer).expect("an answer is JSON");
    let differ = wanted.iter().zip(got).filter(|(wanted, got)| wanted != got);
    let told = |(wanted, got)| format!("wanted {}\ngot    {}\n", line(wanted), line(got));
    differ.map(told).collect()
}

/// Where the answer is meant to be another one, or has a media type where Puppet Server names none.
const OURS: [&str; 4] = ["state of none", "delete a.example.com", "delete b.example.com", "delete none"];

#[test]
fn answers_are_puppet_servers() {
    let made = Authority::new().expect("an authority can be made");
    let server = made.site.serve(&["--ca", "--compat", "7"]).expect("the server starts");
    let mut got = made.ask(server.port()).expect("there are answers");
    let wanted = authority::answers().expect("the answers can be read");
    for (got, wanted) in got.iter_mut().zip(&wanted).filter(|(got, _)| OURS.contains(&got.name.as_str())) {
        assert!(
            wanted.content_type.is_none() && got.content_type.is_some(),
            "{}: `OURS` is too long",
            got.name
        );
        got.content_type = None;
    }
    let differ = differences(&wanted, &got);
    assert!(differ.is_empty(), "{differ}");
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

/// Names that are paths, requests that are damaged, far too many of them: each is an answer, and nothing outside of the folder
/// is read or written.
#[test]
fn strange_requests_are_answered() {
    let made = Authority::new().expect("an authority can be made");
    let server = made.site.serve(&["--ca"]).expect("the server starts");
    let client = Client::of(made.clients.clone(), server.port());
    let send = |client_name: Option<&str>, method: &str, path: &str, headers: &str, body: &[u8]| {
        let head = format!(
            "{method} /puppet-ca/v1/{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n",
            body.len()
        );
        let answer = client.send(client_name, &[head.as_bytes(), body].concat()).expect("there is an answer");
        (answer.status, String::from_utf8_lossy(&answer.body).into_owned())
    };
    for name in ["..%2fca_key", "%2e%2e", "a%00b", "UP", "a%2fb", ".hidden", "%C3%BC"] {
        let (status, body) = send(None, "GET", &format!("certificate/{name}"), "", b"");
        assert!([400, 404].contains(&status) && !body.contains("PRIVATE"), "{name}: {status} {body}");
        let (status, _) = send(None, "GET", &format!("certificate_request/{name}"), "", b"");
        assert!([400, 404].contains(&status), "{name}: {status}");
        let (status, _) = send(Some("localhost"), "DELETE", &format!("certificate_status/{name}"), "", b"");
        assert!([400, 404].contains(&status), "{name}: {status}");
    }
    let good = request(made.site.folder(), "good", &[]);
    let der = String::from_utf8(good.clone()).expect("it is text");
    for (body, least) in [
        (Vec::new(), 400),
        (b"junk".to_vec(), 400),
        (der.replace("REQUEST", "THING").into_bytes(), 400),
        (der.replacen("MI", "MJ", 1).into_bytes(), 400),
        (good[..good.len() / 2].to_vec(), 400),
        (vec![b'-'; 70_000], 413),
    ] {
        let (status, body) =
            send(None, "PUT", "certificate_request/good", "Content-Type: text/plain\r\n", &body);
        assert_eq!(status, least, "{body}");
    }
    // Each byte changed: refused, or it waits; signed it is only if the signature fits.
    let site = &made.site;
    let lines: Vec<&str> = der.lines().collect();
    for place in (0..lines[1].len()).step_by(7) {
        let mut bytes = good.clone();
        let at = lines[0].len() + 1 + place;
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        let (status, _) = send(None, "PUT", "certificate_request/good", "", &bytes);
        assert!([200, 400].contains(&status), "{place}: {status}");
        if status == 200 {
            let signed = site.ca(&["sign", "--certname", "good"]).expect("it runs");
            assert_eq!(signed.status, Some(1), "{place}: {}", signed.out);
            fs::remove_file(site.cadir().join("requests/good.pem")).expect("it waits");
        }
    }
    let key = "-----BEGIN PRIVATE KEY-----";
    let (status, _) =
        send(None, "PUT", "certificate_status/localhost", "", b"{\"desired_state\":\"revoked\"}");
    assert_eq!(status, 403);
    let (status, body) = send(None, "GET", "certificate/ca", "", b"");
    assert!(status == 200 && !body.contains(key), "{status}");
    // Who has the list is told so.
    let since = "If-Modified-Since: Wed, 01 Jan 2098 00:00:00 GMT\r\n";
    assert_eq!(send(None, "GET", "certificate_revocation_list/ca", since, b"").0, 304);
    let before = "If-Modified-Since: Wed, 01 Jan 2020 00:00:00 GMT\r\n";
    assert_eq!(send(None, "GET", "certificate_revocation_list/ca", before, b"").0, 200);
    // Later servers' route to sign many.
    let (status, _) = send(None, "PUT", "certificate_request/good", "", &good);
    assert_eq!(status, 200);
    let names = br#"{"certnames":["good","none"]}"#;
    let (status, body) = send(Some("localhost"), "POST", "sign", "", names);
    assert_eq!(
        (status, body.as_str()),
        (200, r#"{"signed":["good"],"no-csr":["none"],"signing-errors":[]}"#)
    );
    let (status, _) = send(Some("localhost"), "POST", "certificate_renewal", "", b"");
    assert_eq!(status, 404);
    verifies(site, "good").expect("openssl takes it");
}
