//! Report processors of modules do what they do in real Puppet: what they see of reports made at random, what is logged of those
//! that raise, that nobody has, that can't be loaded.

use crate::exchange::{Answer, Case, check, configuration, puppet};
use crate::reports::report;
use bunraku_server::notices::Notices;
use bunraku_server::reports::Reports;
use bunraku_tests::differential::rng::Rng;
use bunraku_tests::oracle::{Oracle, seven_and_eight};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

/// Writes down whatever a report tells.
const ALL: &str = r##"
require 'json'
require 'puppet'
require 'puppet/util/report_helper'

Puppet::Reports.register_report(:all) do
  desc 'Writes all of a report down.'
  Puppet.settings.use(:reporting)

  def process
    folder = File.join(Puppet[:vardir], 'seen')
    Dir.mkdir(folder) unless File.directory?(folder)
    raw = raw_summary
    raw['time'].delete('last_run')
    raw['version'].delete('puppet')
    # Of a server; the handlers that are asked here run for a user.
    raw['application'].delete('run_mode')
    seen = {
      'data' => to_data_hash, 'raw' => raw, 'exit_status' => exit_status, 'name' => name, 'report_name' => report_name,
      'summary' => summary.lines.reject { |line| line =~ /Last run|Puppet:|Run mode/ }, 'yaml' => to_yaml,
      'logs' => logs.map { |log| [log.level.inspect, log.to_s, log.to_report, log.source, log.tags.to_a, log.tagged?('File'), log.line, log.to_hash] },
      'metrics' => metrics.map { |key, m| [key, m.name, m.label, m.values, m['total'], m['none'], m.to_data_hash] },
      'statuses' => resource_statuses.map do |key, s|
        [key, s.resource, s.failed?, s.changed?, s.skipped, s.time.to_s, s.tags.sort, s.tagged?('t', :CLASS), s.change_count,
         resource_unchanged?(s), s.events.map { |e| [e.to_s, e.inspect, e.name.inspect, e.time.to_f, e.status, e.to_data_hash] }]
      end,
      'self' => [self.class.name, time.class.name, status, host, environment, initial_environment, noop, puppet_version,
                 cached_catalog_status, server_used, job_id, code_id, catalog_uuid, transaction_completed, report_format],
      'helper' => ReportHelper.help(self), 'reports' => File.directory?(Puppet[:reportdir]),
      'ancestors' => singleton_class.ancestors.first(2).last.name
    }
    File.write(File.join(folder, "#{host}.json"), JSON.generate(seen))
  end
end
"##;

const FILES: [(&str, &str); 7] = [
    ("environments/production/modules/m/lib/puppet/reports/all.rb", ALL),
    (
        "lib/puppet/util/report_helper.rb",
        "module ReportHelper; def self.help(report) = \"#{report.host}: #{report.logs.size}\"; end",
    ),
    (
        "environments/production/modules/m/lib/puppet/reports/raises.rb",
        "Puppet::Reports.register_report(:raises) do\n  def process\n    Puppet.warning(\"of #{host}\")\n    raise 'it is out of ink'\n  end\nend\n",
    ),
    // Says what it is asked for, but under another name.
    (
        "environments/production/modules/m/lib/puppet/reports/undefined.rb",
        "Puppet::Reports.register_report(:another) do\n  def process; end\nend\n",
    ),
    (
        "environments/production/modules/m/lib/puppet/reports/broken.rb",
        "require 'a/library/that/is/nowhere'\n",
    ),
    (
        "lib/puppet/reports/own.rb",
        "Puppet::Reports.register_report(:own) do\n  def process\n    Puppet.notice(\"own: #{Puppet[:reports]}\")\n  end\nend\n",
    ),
    (
        "modules/base/lib/puppet/reports/hangs.rb",
        "Puppet::Reports.register_report(:hangs) do\n  def process\n    loop { sleep 1 }\n  end\nend\n",
    ),
];

fn fill(folder: &Path) {
    for (name, text) in FILES {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("folders can be made");
        fs::write(file, text).expect("files can be written");
    }
}

fn cases(hosts: &[String]) -> Vec<Case> {
    let mut rng = Rng::new(11);
    let case = |host: &String| {
        let url = format!("/puppet/v3/report/{host}?environment=production");
        Case::put(url, "application/json", report(&mut rng, host).to_string())
    };
    hosts.iter().map(case).collect()
}

/// What this server answers and logs.
fn ours(oracle: Oracle, folder: &Path, settings: &[(&str, &str)], cases: &[Case]) -> Vec<Answer> {
    let (notices, told) = Notices::kept(1000);
    let reports = Reports::new(&configuration(oracle, folder, settings)).expect("reports");
    let reports = reports.with_notices(notices);
    let answer = |case: &Case| {
        let (request, _, rest) = case.request();
        let answer = Answer::of(reports.save(&request, &rest));
        let told = std::mem::take(&mut *told.lock().expect("no panic"));
        Answer { logs: told.into_iter().map(|notice| (notice.level, notice.message)).collect(), ..answer }
    };
    cases.iter().map(answer).collect()
}

/// Of what is logged, what is told and not how Ruby came there, nor what Puppet says again of an answer of 500.
fn told(logs: &[(String, String)]) -> Vec<(String, String)> {
    let told = logs.iter().filter(|(level, text)| {
        !matches!(level.as_str(), "debug" | "info") && !text.starts_with("Server Error: ")
    });
    told.map(|(level, text)| (level.clone(), text.lines().next().unwrap_or_default().to_owned())).collect()
}

fn both(oracle: Oracle, settings: &[(&str, &str)], cases: &[Case]) -> [tempfile::TempDir; 2] {
    let folders = [0, 1].map(|_| tempfile::tempdir().expect("a folder"));
    folders.iter().for_each(|folder| fill(folder.path()));
    let expected = puppet(oracle, folders[0].path(), settings, cases);
    let found = ours(oracle, folders[1].path(), settings, cases);
    check(oracle, cases, &expected, &found);
    for (expected, found) in expected.iter().zip(&found) {
        assert_eq!(told(&expected.logs), told(&found.logs), "{}", oracle.version);
    }
    folders
}

#[test]
fn processors_see_what_they_see_in_puppet() {
    let hosts: Vec<String> = (0..25).map(|number| format!("n{number}.example.com")).collect();
    let cases = cases(&hosts);
    for oracle in seven_and_eight("report processors") {
        let folders = both(oracle, &[("reports", "all")], &cases);
        for host in &hosts {
            let [theirs, ours] = folders.each_ref().map(|folder| {
                let file = folder.path().join(format!("seen/{host}.json"));
                let text =
                    fs::read_to_string(&file).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
                serde_json::from_str::<Value>(&text).expect("JSON")
            });
            for key in theirs.as_object().expect("a hash").keys() {
                assert_eq!(theirs[key], ours[key], "{key} of {host}, {}", oracle.version);
            }
        }
    }
}

#[test]
fn what_goes_wrong_in_processors_is_told_in_puppets_words() {
    let cases = cases(&["n.example.com".to_owned(), "o.example.com".to_owned()]);
    for oracle in seven_and_eight("failing report processors") {
        both(oracle, &[("reports", "raises, absent ,own")], &cases);
        both(oracle, &[("reports", "broken")], &cases);
    }
    // That a file defines nothing is told once by Puppet, which has loaded it then, and each time by this server.
    for oracle in seven_and_eight("report processors that are not defined") {
        both(oracle, &[("reports", "undefined")], &cases[..1]);
    }
}

#[test]
fn a_processor_that_hangs_is_ended() {
    let case = &cases(&["n.example.com".to_owned()]);
    for oracle in seven_and_eight("report processors that hang").into_iter().take(1) {
        let folder = tempfile::tempdir().expect("a folder");
        fill(folder.path());
        fs::write(folder.path().join("puppet.conf"), "[main]\nbasemodulepath = $codedir/modules\n")
            .expect("it is written");
        let began = Instant::now();
        let configuration = configuration(oracle, folder.path(), &[("reports", "hangs,own")]);
        let mut settings = configuration.settings().expect("settings");
        settings.ruby.timeout = Duration::from_secs(2);
        let reports = Reports::new(&configuration).expect("reports").with_settings(settings);
        let (request, _, rest) = case[0].request();
        let failure = reports.save(&request, &rest).expect_err("it is ended");
        assert_eq!(failure.status, 500);
        assert!(failure.message.contains("The report processor 'hangs'"), "{}", failure.message);
        assert!(
            failure.message.contains("ran for more than 2 seconds (setting ruby_timeout)"),
            "{}",
            failure.message
        );
        assert!(began.elapsed() < Duration::from_secs(60));
    }
}

/// Packages put processors where Ruby looks for libraries (Foreman's does), and Puppet finds them there.
#[test]
fn a_processor_among_rubys_libraries_is_found() {
    let case = &cases(&["n.example.com".to_owned()]);
    for oracle in seven_and_eight("report processors among libraries").into_iter().take(1) {
        let folder = tempfile::tempdir().expect("a folder");
        let library = folder.path().join("of_ruby");
        fs::create_dir_all(library.join("puppet/reports")).expect("folders can be made");
        let text = "Puppet::Reports.register_report(:paper) do\n  def process\n    Puppet.notice(\"on paper: #{host}\")\n  end\nend\n";
        fs::write(library.join("puppet/reports/paper.rb"), text).expect("files can be written");
        let ruby = folder.path().join("ruby");
        let script = format!("#!/bin/sh\nRUBYLIB={} exec ruby \"$@\"\n", library.display());
        fs::write(&ruby, script).expect("files can be written");
        fs::set_permissions(&ruby, fs::Permissions::from_mode(0o755)).expect("it can be run");
        fs::create_dir_all(folder.path().join("environments/production")).expect("folders can be made");
        let configuration = configuration(oracle, folder.path(), &[("reports", "paper")]);
        let mut settings = configuration.settings().expect("settings");
        settings.ruby.program = ruby;
        let (notices, told) = Notices::kept(1000);
        let reports = Reports::new(&configuration).expect("reports").with_settings(settings);
        assert!(reports.missing().expect("it can be read").is_empty());
        let (request, _, rest) = case[0].request();
        reports.with_notices(notices).save(&request, &rest).expect("it is processed");
        let told = told.lock().expect("no panic");
        let told: Vec<_> = told.iter().map(|notice| (&*notice.level, &*notice.message)).collect();
        assert_eq!(told, [("notice", "on paper: n.example.com")]);
    }
}
