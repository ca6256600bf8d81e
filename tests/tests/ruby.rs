//! Ruby code that misbehaves: each fault is one clear error, and the compiles that follow are unharmed.

use std::fs;
use std::path::{Path, PathBuf};
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
    collect_with(jobs, &[])
}

/// The same with more in the environment.
fn collect_with(jobs: &[Value], variables: &[(&str, &Path)]) -> Vec<Value> {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut child = Command::new(bunraku::binary().expect("Bunraku builds"))
        .arg("batch")
        .envs(variables.iter().copied())
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

/// What Ruby 3.1 prints of a hash; and what follows for it from the rules of 3.4, which were compared with Ruby 3.4.1 itself on 9,017
/// other values.
const HASH: &str = "{'a' => 1, 'b\\nc' => nil, 2 => [{}], :d => :e, :f? => 1, :g= => 2, :\"x y\" => {nil => 1.5}, :+ => 3, :'@h' => 4, :! => 5, :[] => 6, :i! => 7}";
const IN_3_1: &str = r##"{"a"=>1, "b\\nc"=>nil, 2=>[{}], :d=>:e, :f?=>1, :g==>2, :"x y"=>{nil=>1.5}, :+=>3, :@h=>4, :!=>5, :[]=>6, :i!=>7}"##;
const IN_3_4: &str = r##"{"a" => 1, "b\\nc" => nil, 2 => [{}], d: :e, f?: 1, "g=": 2, "x y": {nil => 1.5}, "+": 3, "@h": 4, "!": 5, "[]": 6, i!: 7}"##;

#[test]
fn a_setting_says_how_hashes_are_inspected() {
    let code = format!("inline_template('<%= {}.inspect %>')", HASH.replace('\'', "\\'"));
    let form = |settings: Value| json!({"id": 1, "code": code, "settings": settings, "want": ["value"]});
    let jobs: Vec<Value> = [("3.1", true), ("3.4", true), ("3.4", false), ("3.1", false), ("3.4", false)]
        .into_iter()
        .map(|(ruby, native)| form(json!({"ruby_inspect": ruby, "native_ruby": native})))
        .collect();
    let printed: Vec<Value> = collect(&jobs).iter().map(|result| result["value"].clone()).collect();
    assert_eq!(printed, [IN_3_1, IN_3_4, IN_3_4, IN_3_1, IN_3_4]);
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
    fails("nosuch", "require 'puppet/nosuch'", json!({}), &["cannot load such file -- puppet/nosuch"]);
}

#[test]
fn defaults_that_ruby_looks_up_end_in_one_error() {
    let declare = "function.call_function('create_resources', 'notify', { 'x' => {} })";
    let cases = [
        ("nothing", "5", "undefined method `each_pair' for 5"),
        ("itself", "scope.lookupdefaults(type)", "SystemStackError"),
        ("exits", "exit", "called exit"),
        ("hangs", "loop {}", "ran for more than 1 seconds"),
        ("declares", declare, "too deep"),
    ];
    for (name, gives, message) in cases {
        let body = format!(
            "function = self; scope = closure_scope; \
             scope.define_singleton_method(:lookupdefaults) {{ |type| {gives} }}; {declare}"
        );
        fails(name, &body, json!({"ruby_timeout": 1}), &[message]);
    }
}

#[test]
fn without_ruby_the_error_names_what_needs_it() {
    let modules = modules("absent", &[("any", "binding.class.to_s")]);
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
fn without_ruby_a_type_that_may_not_load_is_told_of() {
    let modules = modules("doubted", &[]);
    let types = modules.join("m/lib/puppet/type");
    fs::create_dir_all(&types).expect("a folder can be made");
    let write = |name: &str, text: &str| {
        fs::write(types.join(format!("{name}.rb")), text).expect("a file can be written");
    };
    let body = |name: &str| format!("Puppet::Type.newtype(:{name}) do\n newparam(:name)\nend\n");
    write("lacking", &format!("require 'puppet/util/lacking'\n{}", body("lacking")));
    write("doubted", &format!("require 'a_gem/of_its_own'\n{}", body("doubted")));
    write("plain", &body("plain"));
    // Each node is told, in one process.
    let codes = [
        "lacking { 'a': }",
        "doubted { 'a': }",
        "doubted { 'a': b => 1 }",
        "plain { 'a': }",
        "doubted { 'a': }",
    ];
    let job = |code| json!({"id": 1, "code": code, "modulepath": [modules], "ruby": "/nowhere/ruby"});
    let results = collect(&codes.map(job));
    let lacking = "Could not autoload puppet/type/lacking: cannot load such file -- puppet/util/lacking";
    assert_eq!(results[0]["logs"][0]["message"], json!(lacking));
    assert!(message(&results[0]).contains(lacking), "{}", results[0]);
    let told = "Resource type Doubted is taken as declared, since no Ruby says whether it can be loaded: \
                lib/puppet/type/doubted.rb may not load (line 1): it requires 'a_gem/of_its_own', which no module has";
    for n in [1, 4] {
        assert_eq!(results[n]["logs"], json!([{"level": "warning", "message": told}]), "{}", results[n]);
    }
    assert!(message(&results[2]).contains("no parameter named 'b'"), "{}", results[2]);
    assert_eq!((&results[3]["ok"], &results[3]["logs"]), (&json!(true), &json!([])), "{}", results[3]);
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

/// The faulty call is one error or one value, in due time, and the next compile gets its own answer.
fn leaves_nothing(test: &str, body: &str) -> Vec<Value> {
    let modules = modules(test, &[("bad", body), ("good", "args.map { |x| x + 1 }")]);
    bunraku::binary().expect("Bunraku builds");
    let start = Instant::now();
    let results =
        run(&modules, &["m::bad(7)", "m::good(1)", "m::good(2)", "m::bad(8)", "m::good(3)"], json!({}));
    assert!(start.elapsed() < Duration::from_secs(30), "{test} took {:?}", start.elapsed());
    for (n, want) in [(1, 2), (2, 3), (4, 4)] {
        assert_eq!(results[n]["value"], json!([want]), "{results:#?}");
    }
    let _ = fs::remove_dir_all(modules);
    results
}

#[test]
fn a_function_that_forks_answers_once() {
    for (test, body) in [
        ("fork", "fork; args[0]"),
        ("fork-block", "fork { args[0] }; args[0]"),
        ("fork-asks", "fork { call_function('notice', 'x') }; args[0]"),
        ("fork-sleeps", "fork { sleep 300 }; args[0]"),
        ("fork-daemon", "fork { Process.setsid; sleep 3 }; args[0]"),
        ("popen", "IO.popen('-') { |io| io ? io.read : print('x') }; args[0]"),
        ("spawn", "spawn('sleep 300'); args[0]"),
    ] {
        let results = leaves_nothing(test, body);
        assert_eq!(results[0]["value"], json!(7), "{test}: {}", results[0]);
        assert_eq!(results[3]["value"], json!(8), "{test}: {}", results[3]);
    }
}

#[test]
fn a_worker_that_ends_while_what_it_forked_lives_is_one_error() {
    for (test, body) in [
        ("orphan", "fork { sleep 300 }; exit!"),
        ("orphan-status", "fork { sleep 300 }; exit!(111)"),
        ("orphan-killed", "spawn('sleep 300'); Process.kill(:KILL, $$)"),
        ("daemon", "Process.daemon; args[0]"),
    ] {
        let results = leaves_nothing(test, body);
        for n in [0, 3] {
            assert_eq!(results[n]["ok"], json!(false), "{test}: {}", results[n]);
            assert!(message(&results[n]).contains("bad.rb"), "{test}: {}", results[n]);
        }
    }
}

#[test]
fn what_is_no_message_is_one_error() {
    let pipe = "ObjectSpace.each_object(IO).select { |io| !io.closed? && io.fileno > 2 }.each { |io| begin; \
                io.syswrite(WORDS); rescue IOError, SystemCallError; end }; args[0]";
    for (test, words) in [
        ("noise", "'x' * 100"),
        ("answer", "[10, 2, 2].pack('VVV') + 'r' + 2.chr * 9"),
        ("unnumbered", "[1, 0, 0].pack('VVV') + 'h'"),
        ("early", "[6, 3, 2].pack('VVV') + 'r' + 5.chr + 1.chr"),
    ] {
        let results = leaves_nothing(test, &pipe.replace("WORDS", words));
        for n in [0, 3] {
            assert_eq!(results[n]["ok"], json!(false), "{test}: {}", results[n]);
        }
    }
}

#[test]
fn nothing_a_function_changes_reaches_the_next_compile() {
    let body = "seen = [$left, Dir.pwd, ENV['LEFT'], File.umask, 'x'.respond_to?(:left), \
                defined?(LEFT), Object.class_variable_defined?(:@@left), $LOADED_FEATURES.grep(/left_behind/), \
                Encoding.default_external.to_s, $LOAD_PATH.include?('/left')].inspect; \
                $left = 1; Dir.chdir('/'); ENV['LEFT'] = 'x'; File.umask(0); String.define_method(:left) {}; \
                Object.const_set(:LEFT, 1) unless defined?(LEFT); Object.class_variable_set(:@@left, 1); \
                require 'm/left_behind'; Encoding.default_external = 'US-ASCII'; $LOAD_PATH << '/left'; seen";
    let modules = modules("state", &[("bad", body)]);
    fs::create_dir_all(modules.join("m/lib/m")).expect("a folder can be made");
    fs::write(modules.join("m/lib/m/left_behind.rb"), "1").expect("a file can be written");
    let results = run(&modules, &["m::bad()", "m::bad()", "m::bad()"], json!({}));
    assert!(results[0]["ok"] == json!(true), "{}", results[0]);
    assert_eq!(results[0]["value"], results[1]["value"]);
    assert_eq!(results[0]["value"], results[2]["value"]);
    let _ = fs::remove_dir_all(modules);
}

/// Each in a process of its own, since what one has loaded is there for the next.
#[test]
fn what_puppet_has_of_rubygems_is_there_when_it_is_first_named() {
    let modules = modules("gems", &[("run", "eval(args[0])")]);
    for (code, want) in [
        ("Gem::Version.new(\"1.10\") > Gem::Version.new(\"1.9\")", json!(true)),
        ("Gem::Requirement.new(\"~> 2.1\").satisfied_by?(Gem::Version.new(\"2.4\"))", json!(true)),
        (
            "[defined?(Gem), defined?(gem), $LOADED_FEATURES.grep(/rubygems/).size]",
            json!(["constant", "method", 0]),
        ),
        ("begin; gem \"no-such\"; rescue Gem::LoadError => e; e.name; end", json!("no-such")),
        (
            "begin; require \"no/such\"; rescue LoadError => e; [e.path, e.message]; end",
            json!(["no/such", "cannot load such file -- no/such"]),
        ),
        ("begin; require \"no/such\"; rescue Gem::LoadError; 1; rescue LoadError; 2; end", json!(2)),
        (
            "require \"rubygems/version\"; [Gem::Version.name, Gem::Deprecate.name]",
            json!(["Gem::Version", "Gem::Deprecate"]),
        ),
        ("require \"bundler\"; Bundler.name", json!("Bundler")),
        ("begin; [].frist; rescue NameError => e; e.corrections.inspect; end", json!("[:first]")),
        ("begin; [].frist; rescue NameError => e; e.message.lines.last; end", json!("Did you mean?  first")),
        ("begin; Kernel.require(\"puppet\"); rescue LoadError; 1; end", json!(false)),
    ] {
        let results = run(&modules, &[&format!("m::run('{code}')"), "m::run('1')"], json!({}));
        assert_eq!(
            (&results[0]["value"], &results[1]["value"]),
            (&want, &json!(1)),
            "{code}: {}",
            results[0]
        );
    }
    let _ = fs::remove_dir_all(modules);
}

/// Each in a process of its own: a part of what Puppet has loaded may be the first of it that code asks for.
#[test]
fn a_part_of_a_library_brings_the_whole() {
    let modules = modules("parts", &[("run", "require args[0]; eval(args[1])")]);
    for (file, code, want) in [
        ("psych", "[Psych.dump(1), YAML.name]", json!(["--- 1\n", "Psych"])),
        ("psych.rb", "YAML.name", json!("Psych")),
        ("psych/tree_builder", "Psych::TreeBuilder.name", json!("Psych::TreeBuilder")),
        ("uri/generic", "[URI::Generic.name, URI(\"http://a/b\").host]", json!(["URI::Generic", "a"])),
        ("net/http", "Net::HTTP.name", json!("Net::HTTP")),
        ("cgi/util", "CGI.escape(\"a b\")", json!("a+b")),
        ("digest/sha2", "Digest::SHA256.hexdigest(\"\")[0, 4]", json!("e3b0")),
    ] {
        let result = run(&modules, &[&format!("m::run('{file}', '{code}')")], json!({}));
        assert_eq!(result[0]["value"], want, "{file}: {}", result[0]);
    }
    let _ = fs::remove_dir_all(modules);
}

/// A gem that lies outside of Ruby's own folders is found as it is with RubyGems, and by the compiles that follow.
#[test]
fn a_gem_that_is_installed_is_required_by_its_files_names() {
    let modules =
        modules("installed", &[("run", "require 'a_gem_of_ours'; [A_GEM_OF_OURS, gem('ours').inspect]")]);
    let home = modules.join("gems");
    fs::create_dir_all(home.join("specifications")).expect("a folder can be made");
    fs::create_dir_all(home.join("gems/ours-1.2/lib")).expect("a folder can be made");
    let about = "Gem::Specification.new { |s| s.name = 'ours'; s.version = '1.2'; s.summary = 's'; s.authors = ['a']; \
                 s.files = ['lib/a_gem_of_ours.rb']; s.require_paths = ['lib'] }";
    fs::write(home.join("specifications/ours-1.2.gemspec"), about).expect("a file can be written");
    fs::write(home.join("gems/ours-1.2/lib/a_gem_of_ours.rb"), "A_GEM_OF_OURS = 12")
        .expect("a file can be written");
    let jobs =
        [1, 2].map(|id| json!({"id": id, "code": "m::run()", "modulepath": [modules], "want": ["value"]}));
    for result in collect_with(&jobs, &[("GEM_HOME", &home)]) {
        assert_eq!(result["value"], json!([12, "false"]), "{result}");
    }
    let _ = fs::remove_dir_all(modules);
}

#[test]
fn the_error_names_the_function_that_ran_for_too_long() {
    let modules = modules(
        "named",
        &[
            ("outer", "call_function('m::inner')"),
            ("catches", "begin; call_function('m::inner'); rescue => e; \"caught #{e.class}\"; end"),
            ("inner", "begin; loop { sleep 0.01 }; rescue Exception; retry; end"),
            ("soft", "loop { sleep 0.01 }"),
            ("around", "call_function('m::soft')"),
            ("good", "args"),
        ],
    );
    let codes = ["m::outer()", "m::good(1)", "m::catches()", "m::around()", "m::good(2)"];
    let results = run(&modules, &codes, json!({"ruby_timeout": 0.5}));
    for (n, name) in [(0, "m::inner"), (2, "m::inner"), (3, "m::soft")] {
        let text = message(&results[n]);
        assert!(text.contains(&format!("The function '{name}'")), "{text}");
        assert!(text.contains("ran for more than 0.5 seconds (setting ruby_timeout)"), "{text}");
    }
    assert_eq!(results[1]["value"], json!([1]));
    assert_eq!(results[4]["value"], json!([2]));
    let _ = fs::remove_dir_all(modules);
}

/// Whether a process has ended; one nobody has waited for has.
fn is_gone(process: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().next()).is_none_or(|state| state == "Z")
}

#[test]
fn a_worker_ends_with_its_parent_however_that_died() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    // Also Ruby that gives no other thread of its own a chance to run.
    for (test, wait) in [("sleeps", "sleep 300"), ("matches", "('a' * 60) =~ /\\A(?:a|a|aa)+\\z.b/")] {
        let file = std::env::temp_dir().join(format!("bunraku-pids-{}-{test}", std::process::id()));
        let body = format!(
            "child = spawn('sleep 300'); File.write('{0}.part', [$$, Process.ppid, child].join(' ')); \
             File.rename('{0}.part', '{0}'); {wait}",
            file.display()
        );
        let modules = modules(test, &[("bad", &body)]);
        let mut child = Command::new(bunraku::binary().expect("Bunraku builds"))
            .arg("batch")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("Bunraku starts");
        let job = json!({"id": 1, "code": "m::bad()", "modulepath": [modules], "want": ["value"]});
        let input = child.stdin.as_mut().expect("stdin is piped");
        input.write_all(format!("{job}\n").as_bytes()).expect("the job can be written");
        let limit = Instant::now() + Duration::from_secs(30);
        while !file.exists() {
            assert!(Instant::now() < limit, "the function never ran");
            std::thread::sleep(Duration::from_millis(20));
        }
        let pids = fs::read_to_string(&file).expect("it is there");
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        let limit = Instant::now() + Duration::from_secs(10);
        for pid in pids.split(' ') {
            while !is_gone(pid) {
                assert!(Instant::now() < limit, "{test}: the process {pid} of {pids} is left");
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        let _ = fs::remove_file(file);
        let _ = fs::remove_dir_all(modules);
    }
}

#[test]
fn a_worker_inherits_nothing_but_its_streams() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let body = "Dir.children('/proc/self/fd').map { |n| File.readlink(\"/proc/self/fd/#{n}\") rescue nil }\
                .compact.grep(/inherited/)";
    let modules = modules("inherits", &[("fds", body)]);
    let marker = modules.join("inherited");
    let job = json!({"id": 1, "code": "m::fds()", "modulepath": [modules], "want": ["value"]});
    let mut child = Command::new("sh")
        .args(["-c", "exec 7>\"$0\"; exec \"$1\" batch"])
        .arg(&marker)
        .arg(bunraku::binary().expect("Bunraku builds"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("sh starts");
    let mut input = child.stdin.take().expect("stdin is piped");
    input.write_all(format!("{job}\n").as_bytes()).expect("the job can be written");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let result: Value = serde_json::from_slice(&output.stdout).expect("a result");
    assert_eq!(result["value"], json!([]), "{result}");
    let _ = fs::remove_dir_all(modules);
}

#[test]
fn the_first_folder_of_the_module_path_wins() {
    let root = std::env::temp_dir().join(format!("bunraku-ruby-{}-order", std::process::id()));
    for (folder, module) in [("a", "zz"), ("b", "aa")] {
        let lib = root.join(folder).join(module).join("lib/puppet");
        fs::create_dir_all(lib.join("parser/functions")).expect("a folder can be made");
        fs::create_dir_all(lib.join("functions")).expect("a folder can be made");
        let old =
            format!("Puppet::Parser::Functions.newfunction(:whose, type: :rvalue) {{ |_| '{module}' }}\n");
        fs::write(lib.join("parser/functions/whose.rb"), old).expect("a file can be written");
        let new =
            format!("Puppet::Functions.create_function(:whose4) do\n def whose4() '{module}' end\nend\n");
        fs::write(lib.join("functions/whose4.rb"), new).expect("a file can be written");
    }
    let code = "[whose(), whose4(), inline_template('<%= scope.function_whose([]) %>')]";
    let path = [root.join("a"), root.join("b")];
    let job = json!({"id": 1, "code": code, "modulepath": path, "want": ["value"]});
    let results = collect(&[job]);
    assert_eq!(results[0]["value"], json!(["zz", "zz", "zz"]), "{}", results[0]);
    let _ = fs::remove_dir_all(root);
}

#[test]
fn settings_of_the_job_are_read_by_code() {
    let body = "[Puppet[:vardir], Puppet[:statedir], Puppet[:storeconfigs], Puppet[:storeconfigs_backend].inspect, \
                Puppet[:runinterval], Puppet[:nothing]]";
    let modules = modules("given", &[("read", body)]);
    let settings =
        json!({"vardir": "/v", "storeconfigs": true, "storeconfigs_backend": "mine", "runinterval": "1h"});
    let codes = ["m::read()", "[$settings::statedir, $settings::storeconfigs, $settings::runinterval]"];
    let results = run(&modules, &codes, settings);
    assert_eq!(results[0]["value"], json!(["/v", "/v/state", true, ":mine", 3600, null]), "{}", results[0]);
    assert_eq!(results[1]["value"], json!(["/v/state", true, 3600]), "{}", results[1]);
    let wrong = run(&modules, &["1"], json!({"storeconfigs": "maybe"}));
    assert_eq!(message(&wrong[0]), "The setting 'storeconfigs' can't be \"maybe\"");
    let _ = fs::remove_dir_all(modules);
}

/// A password of letters that are drawn, as modules make them; and a function that asks for another behind what it has drawn.
#[test]
fn random_numbers_need_no_worker() {
    let draws =
        "letters = ('a'..'z').to_a - ['l', 'o']; Array.new(args[0]) { |_| letters[rand(letters.size)] }.join";
    let asks = "call_function('m::draws', rand(1..3)).size; call_function('m::draws', 4).size";
    let fails = "Random.rand(args[0])";
    let modules = modules("random", &[("draws", draws), ("asks", asks), ("fails", fails)]);
    let job = |code: &str| json!({"id": 1, "code": code, "modulepath": [&modules], "stats": true, "want": ["value"]});
    let results =
        collect(&[job("m::draws(400)"), job("m::draws(400)"), job("m::asks()"), job("m::fails(0)")]);
    let starts = |result: &Value| result["stats"]["ruby_start"]["calls"].as_u64().unwrap_or(0);
    let [first, second] = [0, 1].map(|n| results[n]["value"].as_str().expect("it is a string").to_owned());
    let met: std::collections::BTreeSet<char> = first.chars().collect();
    assert_eq!((first.len(), met.len()), (400, 24), "{first}");
    assert!(!met.contains(&'l') && !met.contains(&'o'));
    assert_ne!(first, second);
    assert_eq!(results[2]["value"], json!(4), "{}", results[2]);
    assert!(message(&results[3]).contains("invalid argument - 0"), "{}", results[3]);
    assert_eq!([0, 1, 2, 3].map(|n| starts(&results[n]) > 0), [false, false, true, false]);
    let _ = fs::remove_dir_all(modules);
}
