//! Ruby code that misbehaves: each fault is one clear error, and the compiles that follow are unharmed.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use bunraku_tests::bunraku;
use serde_json::{Value, json};

/// A module path with one module `m` that has these functions (name and body) in Ruby.
fn modules(test: &str, functions: &[(&str, &str)]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("bunraku-ruby-{}-{test}", std::process::id()));
    let functions_folder = folder.join("m/lib/puppet/functions/m");
    fs::create_dir_all(&functions_folder).expect("a folder can be made");
    fs::create_dir_all(folder.join("m/templates")).expect("a folder can be made");
    for (name, body) in functions {
        let text = format!(
            "Puppet::Functions.create_function(:'m::{name}') do\n  def {name}(*args)\n    {body}\n  end\nend\n"
        );
        fs::write(functions_folder.join(format!("{name}.rb")), text).expect("a file can be written");
    }
    folder
}

/// Runs programs one after the other in one process.
fn run(modules: &PathBuf, codes: &[&str], settings: Value) -> Vec<Value> {
    let jobs: Vec<Value> = codes
        .iter()
        .map(|code| json!({"id": 1, "code": code, "modulepath": [modules], "settings": settings, "want": ["value"]}))
        .collect();
    collect(&jobs)
}

fn collect(jobs: &[Value]) -> Vec<Value> {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut child = Command::new(bunraku::binary().expect("Bunraku builds"))
        .arg("batch")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("Bunraku starts");
    let mut input = child.stdin.take().expect("stdin is piped");
    let lines: String = jobs.iter().map(|job| format!("{job}\n")).collect();
    input.write_all(lines.as_bytes()).expect("the jobs can be written");
    drop(input);
    let output = child.wait_with_output().expect("Bunraku ends");
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines()
        .map(|line| serde_json::from_str(line).expect("each line of the output is a result"))
        .collect()
}

fn message(result: &Value) -> &str {
    result["error"]["message"].as_str().unwrap_or_default()
}

/// The faulty call fails with all of `words`; the call behind it, in the same process, gives what it should.
fn fails(test: &str, body: &str, settings: Value, words: &[&str]) {
    let modules = modules(test, &[("bad", body), ("good", "args.map { |x| x + 1 }")]);
    let results =
        run(&modules, &["m::good(1)", "m::bad()", "m::good(2)", "m::bad()", "m::good(3)"], settings);
    for (n, want) in [(0, 2), (2, 3), (4, 4)] {
        assert_eq!(results[n]["value"], json!([want]), "{results:#?}");
    }
    for n in [1, 3] {
        for word in words {
            assert!(message(&results[n]).contains(word), "{word} is not in {}", results[n]);
        }
    }
    let _ = fs::remove_dir_all(modules);
}

#[test]
fn a_loop_without_end_is_stopped_at_the_time_limit() {
    let start = Instant::now();
    fails(
        "loop",
        "loop { 1 + 1 }",
        json!({"ruby_timeout": 1}),
        &["m::bad", "ran for more than 1 seconds", "bad.rb:3"],
    );
    assert!(start.elapsed() < Duration::from_secs(15));
}

#[test]
fn a_loop_that_catches_everything_is_stopped_from_outside() {
    fails(
        "stubborn",
        "begin; loop { sleep 0.01 }; rescue Exception; retry; end",
        json!({"ruby_timeout": 0.5}),
        &["m::bad", "bad.rb", "ran for more than 0.5 seconds"],
    );
}

#[test]
fn memory_without_bound_is_refused() {
    fails(
        "memory",
        "a = []; loop { a << 'x' * 10_000_000 }",
        json!({"ruby_memory": 400_000_000, "ruby_timeout": 20}),
        &["m::bad", "400000000 bytes", "ruby_memory", "bad.rb"],
    );
}

#[test]
fn exit_ends_the_call_only() {
    fails("exit", "exit 3", json!({}), &["m::bad", "called exit", "bad.rb:3"]);
}

#[test]
fn a_worker_that_goes_away_is_replaced() {
    fails("gone", "exit! 3", json!({}), &["m::bad", "bad.rb", "Ruby ended"]);
    fails("killed", "Process.kill(:KILL, $$)", json!({}), &["m::bad", "bad.rb", "Ruby ended", "signal"]);
}

#[test]
fn output_and_input_of_the_code_do_not_touch_the_protocol() {
    let body = "puts 'x' * 100; $stdout.flush; STDOUT.syswrite('y'); system('echo z'); IO.new(1).syswrite('w'); \
                [$stdin.read, `cat`]";
    let modules = modules("output", &[("prints", body)]);
    let results = run(&modules, &["m::prints()", "m::prints()"], json!({}));
    assert_eq!(results.len(), 2);
    for result in results {
        assert_eq!(result["value"], json!(["", ""]), "{result}");
    }
    let _ = fs::remove_dir_all(modules);
}

#[test]
fn too_deep_a_recursion_is_an_error_with_its_line() {
    fails("deep", "f = ->(x) { f.(x + 1) }; f.(0)", json!({}), &["m::bad", "SystemStackError", "bad.rb:3"]);
}

#[test]
fn what_does_not_parse_names_its_line() {
    fails("syntax", "if (", json!({}), &["bad.rb:4", "syntax error"]);
}

#[test]
fn what_is_not_provided_is_named_with_its_place() {
    fails("constant", "Puppet::SSL::Host.new", json!({}), &["Puppet::SSL", "not supported", "bad.rb:3"]);
    fails("method", "Puppet.initialize_settings", json!({}), &["Puppet.initialize_settings", "bad.rb:3"]);
    fails("setting", "Puppet[:confdir]", json!({}), &["confdir", "not supported"]);
}

#[test]
fn without_ruby_the_error_names_what_needs_it() {
    let modules = modules("absent", &[("any", "1")]);
    fs::write(modules.join("m/templates/t.erb"), "<%= self.class %>").expect("a file can be written");
    let codes = [
        "m::any()",
        "template('m/t.erb')",
        "inline_template('<%= self.class %>')",
        "1 + 1",
        "inline_template('<% [1, 2].each do |n| %><%= n %><% end %>')",
    ];
    let jobs: Vec<Value> = codes
        .iter()
        .map(|code| json!({"id": 1, "code": code, "modulepath": [modules], "ruby": "/nowhere/ruby", "want": ["value"]}))
        .collect();
    let results = collect(&jobs);
    for (n, name) in [(0, "any.rb"), (1, "t.erb"), (2, "inline_template()")] {
        assert!(message(&results[n]).contains(name), "{}", results[n]);
        assert!(message(&results[n]).contains("needs Ruby, and no Ruby was found"), "{}", results[n]);
    }
    assert_eq!(results[3]["value"], json!(2));
    assert_eq!(results[4]["value"], json!("12"));
    let _ = fs::remove_dir_all(modules);
}

#[test]
fn a_changed_file_is_read_again() {
    let modules = modules("changed", &[("it", "1")]);
    let first = run(&modules, &["m::it()"], json!({}));
    assert_eq!(first[0]["value"], json!(1));
    let file = modules.join("m/lib/puppet/functions/m/it.rb");
    let text = fs::read_to_string(&file).expect("it is there").replace("    1\n", "    'two'\n");
    fs::write(&file, text).expect("a file can be written");
    assert_eq!(run(&modules, &["m::it()"], json!({}))[0]["value"], json!("two"));
    let _ = fs::remove_dir_all(modules);
}

#[test]
fn calls_nest_across_the_border() {
    let body = "args[0] > 0 ? call_function('m::bad', args[0] - 1) { } : 'end'".replace(" { }", "");
    let modules = modules("nest", &[("bad", &body)]);
    let results = run(&modules, &["m::bad(50)", "m::bad(100000)", "m::bad(1)"], json!({}));
    assert_eq!(results[0]["value"], json!("end"), "{}", results[0]);
    assert_eq!(results[1]["ok"], json!(false), "{}", results[1]);
    assert_eq!(results[2]["value"], json!("end"), "{}", results[2]);
    let _ = fs::remove_dir_all(modules);
}
