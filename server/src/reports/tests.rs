//! What becomes of reports, without connections. That what is written is Puppet's, `tests/tests/served` says.

use super::*;
use crate::testing::get;
use bunraku::Compat;
use bytes::Bytes;
use http::Method;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;

const REPORT: &str = r#"{"host":"n.example.com","time":"2026-01-02T03:04:05.000000000Z","metrics":{},
  "logs":[{"level":"notice","message":"m","source":"/Stage[main]/Notify[a]","tags":[]}],"resource_statuses":{}}"#;

fn reports(folder: &Path, settings: &[(&str, &str)]) -> Result<Reports, String> {
    std::fs::create_dir_all(folder.join("environments/production")).unwrap();
    let root = folder.display().to_string();
    let mut given = ["confdir", "codedir", "vardir"].map(|name| (name.to_owned(), root.clone())).to_vec();
    given.extend(settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    Reports::new(&Configuration::read(Compat::V7, &given).unwrap())
}

fn put(body: &str, content_type: &str) -> Request {
    Request {
        method: Method::PUT,
        content_type: Some(content_type.to_owned()),
        body: Bytes::from(body.to_owned()),
        ..get("/puppet/v3/report/n.example.com?environment=production")
    }
}

#[test]
fn none_of_many_reports_in_one_minute_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let reports = reports(folder.path(), &[]).unwrap();
    std::thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(|| {
                for _ in 0..5 {
                    let answer = reports.save(&put(REPORT, "application/json"), "n.example.com").unwrap();
                    assert_eq!(answer.status, 200);
                }
            });
        }
    });
    let kept = std::fs::read_dir(folder.path().join("reports/n.example.com")).unwrap();
    assert_eq!(
        kept.flatten().filter(|entry| entry.path().extension().is_some_and(|end| end == "yaml")).count(),
        20
    );
}

#[test]
fn reports_that_are_none_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let reports = reports(folder.path(), &[]).unwrap();
    let status = |body: &str, content_type: &str, name: &str| {
        reports
            .save(&put(body, content_type), name)
            .map_or_else(|failure| failure.status, |answer| answer.status)
    };
    assert_eq!(status(REPORT, "application/json", "other"), 500);
    assert_eq!(status(REPORT, "text/yaml", "n.example.com"), 415);
    assert_eq!(status("{", "application/json", "n.example.com"), 400);
    assert_eq!(status(REPORT, "text/pson", "n.example.com"), 200);
    for hostile in ["..", ".", "../x", "a/b"] {
        assert_eq!(status(&REPORT.replace("n.example.com", hostile), "application/json", hostile), 400);
    }
    assert_eq!(std::fs::read_dir(folder.path().join("reports")).unwrap().count(), 1);
}

#[test]
fn a_report_that_cant_be_kept_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let reports = reports(folder.path(), &[]).unwrap();
    std::fs::write(folder.path().join("reports"), "no folder").unwrap();
    let failure = reports.save(&put(REPORT, "application/json"), "n.example.com").unwrap_err();
    assert_eq!(failure.status, 500);
    assert!(failure.message.starts_with("Could not write report for n.example.com"), "{}", failure.message);
}

#[test]
fn processors_that_are_not_there_are_named() {
    let folder = tempfile::tempdir().unwrap();
    for (setting, name) in [("store,tagmail", "tagmail"), ("puppetdb", "puppetdb"), ("none, store", "none")] {
        let reports = reports(folder.path(), &[("reports", setting)]).unwrap();
        assert_eq!(reports.missing().unwrap(), [name]);
    }
    // One that lies in the folder of `libdir` is there.
    let library = folder.path().join("library/puppet/reports");
    std::fs::create_dir_all(&library).unwrap();
    std::fs::write(library.join("tagmail.rb"), "Puppet::Reports.register_report(:tagmail) { }").unwrap();
    let libdir = folder.path().join("library").display().to_string();
    let there = reports(folder.path(), &[("reports", "store,tagmail"), ("libdir", &libdir)]).unwrap();
    assert_eq!(there.missing().unwrap(), Vec::<&str>::new());
    // So is one that lies where Ruby looks for its own.
    let of_ruby = folder.path().join("of_ruby/puppet/reports");
    std::fs::create_dir_all(&of_ruby).unwrap();
    std::fs::write(of_ruby.join("printer.rb"), "Puppet::Reports.register_report(:printer) { }").unwrap();
    let ruby = folder.path().join("ruby");
    std::fs::write(&ruby, format!("#!/bin/sh\necho {}/of_ruby\n", folder.path().display())).unwrap();
    std::fs::set_permissions(&ruby, std::fs::Permissions::from_mode(0o755)).unwrap();
    let named = reports(folder.path(), &[("reports", "printer,fax")]).unwrap();
    assert_eq!(named.missing().unwrap(), ["printer", "fax"]);
    let mut settings = Settings::default();
    settings.ruby.program = ruby;
    let named = named.with_settings(settings);
    assert_eq!(named.missing().unwrap(), ["fax"]);
    assert!(named.doubts().unwrap()[0].contains("lib/puppet/reports/fax.rb of a module"));
    assert!(reports(folder.path(), &[("reports", "none")]).is_ok());
    assert!(reports(folder.path(), &[("reports", "http"), ("reporturl", "ftp://a/")]).is_err());
}

#[test]
fn logs_are_logged_with_their_node() {
    let folder = tempfile::tempdir().unwrap();
    let (notices, kept) = Notices::kept(10);
    let reports = reports(folder.path(), &[("reports", "log")]).unwrap().with_notices(notices);
    reports.save(&put(REPORT, "application/json"), "n.example.com").unwrap();
    let kept = kept.lock().unwrap();
    let said: Vec<_> = kept.iter().map(|one| [&*one.level, &*one.source, &*one.message]).collect();
    assert_eq!(said, [["notice", "//n.example.com//Stage[main]/Notify[a]", "m"]]);
}

#[test]
fn reports_are_posted() {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://us:p%40@{}/reports/upload?a=1", listener.local_addr().unwrap());
    let (notices, kept) = Notices::kept(10);
    let reports = reports(folder.path(), &[("reports", "http"), ("reporturl", &url)]).unwrap();
    let reports = reports.with_notices(notices);
    let receiver = std::thread::spawn(move || {
        [200, 500].map(|status| {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = Vec::new();
            while !String::from_utf8_lossy(&request).contains("resource_statuses") {
                let mut buffer = [0; 4096];
                let count = stream.read(&mut buffer).unwrap();
                request.extend_from_slice(&buffer[..count]);
            }
            write!(stream, "HTTP/1.1 {status} X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").unwrap();
            String::from_utf8(request).unwrap()
        })
    });
    for _ in 0..2 {
        reports.save(&put(REPORT, "application/json"), "n.example.com").unwrap();
    }
    let [first, _] = receiver.join().unwrap();
    assert!(first.starts_with("POST /reports/upload?a=1 HTTP/1.1\r\n"), "{first}");
    assert!(first.to_lowercase().contains("\r\nauthorization: basic dxm6cea=\r\n"), "{first}");
    assert!(first.to_lowercase().contains("\r\ncontent-type: application/x-yaml\r\n"), "{first}");
    assert!(first.contains("--- !ruby/object:Puppet::Transaction::Report\nhost: n.example.com\n"), "{first}");
    let kept = kept.lock().unwrap();
    assert_eq!(kept.len(), 1);
    assert!(kept[0].message.ends_with("[500]"), "{}", kept[0].message);
}
