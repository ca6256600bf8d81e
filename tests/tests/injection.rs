//! Functions in Ruby whose parameters and attributes are injected, with what modules bind for them, and the checkers of
//! syntax that modules register by it. Puppet dropped this in version 5, so no oracle has it: what is expected is what
//! the design of functions says of it, and what the binder of Puppet 4 did.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use bunraku_tests::bunraku;
use serde_json::{Value, json};

/// A module that binds values in the file that is looked for by itself, and one that registers a checker by hand.
const FILES: &[(&str, &str)] = &[
    (
        "birds/lib/puppet/bindings/birds/default.rb",
        "Puppet::Bindings.newbindings('birds::default') do |scope|
           bind.name('greeting').string.to('hello')
           bind { name 'limit'; integer; to 42 }
           bind.name('serial').integer.to_producer_series('Puppetx::Acme::Birds::Serial')
           bind.name('numbers').integer.to_producer('Puppetx::Acme::Birds::Serial')
           bind.name('duck').instance_of('Puppetx::Acme::Birds::Duck').to_instance('Puppetx::Acme::Birds::Duck', 'Donald')
           bind.name('xml').instance_of(Puppetx::SYNTAX_CHECKERS_TYPE).in_multibind(Puppetx::SYNTAX_CHECKERS).
             to_instance('Puppetx::Acme::Birds::XmlChecker')
           multibind('sounds').name('sounds').hash_of(type_factory.string)
           bind.in_multibind('sounds').name('duck').string.to('quack')
           bind.in_multibind('sounds').name('goose').string.to('honk')
           multibind('list').name('list').array_of(type_factory.integer)
           bind.in_multibind('list').name('a').integer.to(1)
           bind.in_multibind('list').name('b').integer.to(2)
           bind.name('new').array_of_data.to_series_of([1])
           bind.name('same').array_of_data.to([1])
           bind.name('other').to_lookup_of('greeting')
           bind.name('loop').to_lookup_of('loop')
           bind.name('goose').to_hash_lookup_of(type_factory.hash_of(type_factory.string), 'sounds', 'goose')
           bind.name('first').to_first_found('nothing', [type_factory.string, 'greeting'], 'limit')
         end",
    ),
    (
        "birds/lib/puppetx/acme/birds/serial.rb",
        "module Puppetx::Acme; module Birds; end; end
         class Puppetx::Acme::Birds::Serial < Puppet::Pops::Binder::Producers::Producer
           def initialize; @n = 0; end
           def produce(scope); @n += 1; end
         end",
    ),
    (
        "birds/lib/puppetx/acme/birds/duck.rb",
        "module Puppetx::Acme; module Birds; end; end
         class Puppetx::Acme::Birds::Duck
           attr_reader :name
           def initialize(name = 'nobody'); @name = name; end
         end",
    ),
    (
        "birds/lib/puppetx/acme/birds/xml_checker.rb",
        "module Puppetx::Acme; module Birds; end; end
         class Puppetx::Acme::Birds::XmlChecker < Puppetx::Puppet::SyntaxChecker
           def check(text, syntax, acceptor, info)
             return if text.start_with?('<')
             issue = Puppet::Pops::Issues::issue(:ACME_NO_XML) { \"this is no #{syntax}\" }
             acceptor.accept(Puppet::Pops::Validation::Diagnostic.new(:error, issue, info[:file], info, {}))
           end
         end",
    ),
    // The example of the design.
    (
        "birds/lib/puppet/functions/assert_syntax.rb",
        "Puppet::Functions.create_function('assert_syntax') do
           syntax_checkers_type = hash_of(type_of(::PuppetX::SYNTAX_CHECKERS_TYPE))
           syntax_checkers_extension = ::PuppetX::SYNTAX_CHECKERS
           dispatch :check do
             param 'String', :text
             param 'String', :syntax
             injected_param syntax_checkers_type, :checkers, syntax_checkers_extension
           end
           def check(text, syntax, checkers = { 'json' => nil })
             checker = checkers[syntax] or raise ArgumentError, \"no checker but #{checkers.keys.join(', ')}\"
             acceptor = Puppet::Pops::Validation::Acceptor.new
             checker.check(text, syntax, acceptor, Puppet::Pops::Adapters::SourcePosAdapter.new)
             raise ArgumentError, acceptor.errors.map { |error| error.issue.format }.join if acceptor.errors?
             text
           end
         end",
    ),
    (
        "birds/lib/puppet/functions/birds/attributes.rb",
        "Puppet::Functions.create_function('birds::attributes') do
           injected_param hash_of(type_of(::Puppetx::SYNTAX_CHECKERS_TYPE)), :checkers, ::Puppetx::SYNTAX_CHECKERS
           attr_injected type_of('Puppetx::Acme::Birds::Duck'), :bound, 'duck'
           attr_injected type_of('Puppetx::Acme::Birds::Duck'), :made
           attr_injected String, :greeting, 'greeting'
           attr_injected_producer Integer, :serial, 'serial'
           def attributes(x)
             [x, checkers.keys, bound.name, made.name, made.equal?(made), greeting, serial.produce(nil)]
           end
         end",
    ),
    (
        "birds/lib/puppet/functions/birds/woven.rb",
        "Puppet::Functions.create_function('birds::woven', Puppet::Functions::InternalFunction) do
           dispatch :woven do
             injected_param String, :greeting, 'greeting'
             scope_param
             param 'Integer', :a
             injected_producer_param 'Integer', :serial, 'serial'
             optional_param 'Integer', :b
             injected_param 'Integer', :limit, 'limit'
             repeated_param 'String', :more
             return_type 'Array'
           end
           def woven(greeting, scope, a, serial, *rest)
             [greeting, scope.class.name, a, serial.produce(scope), serial.produce(scope), rest]
           end
         end",
    ),
    (
        "birds/lib/puppet/functions/birds/look.rb",
        "Puppet::Functions.create_function('birds::look') do
           def look(*what)
             injector = Puppet.lookup(:injector)
             what[0] = Puppet::Pops::Types::TypeParser.singleton.parse(what[0]) if what.size == 2
             first = injector.lookup(nil, *what)
             again = injector.lookup(nil, *what)
             [first, again, first.equal?(again), injector.lookup(nil, *what) { |found| [found] }]
           end
         end",
    ),
    (
        "loud/lib/puppet_x/loud/shout.rb",
        "module PuppetX::Loud; end
         class PuppetX::Loud::Shout < Puppet::Plugins::SyntaxCheckers::SyntaxChecker
           def check(text, syntax, acceptor, place)
             return if text == text.upcase
             issue = Puppet::Pops::Issues.issue(:LOUD_WHISPER) { \"#{syntax} is not loud enough\" }
             acceptor.accept(Puppet::Pops::Validation::Diagnostic.new(:error, issue, place.file, place, {}))
           end
         end
         Puppet.lookup(:plugins)[Puppet::Plugins::SyntaxCheckers::SYNTAX_CHECKERS_KEY]['shout'] = PuppetX::Loud::Shout.new",
    ),
    ("loud/manifests/quiet.pp", "class loud::quiet {\n  $text = @(END:shout)\n    hush\n    | END\n}\n"),
];

fn module_path(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (name, text) in files {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().expect("it has a folder")).expect("a folder can be made");
        fs::write(file, text).expect("a file can be written");
    }
    folder
}

/// Runs programs in one process; the value of each, or its error's message.
fn run(modules: &Path, codes: &[&str]) -> Vec<Result<Value, String>> {
    let mut child = Command::new(bunraku::binary().expect("Bunraku builds"))
        .arg("batch")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Bunraku starts");
    let job = |code: &&str| json!({"id": 1, "code": code, "modulepath": [modules], "want": ["value"]});
    let lines: String = codes.iter().map(|code| format!("{}\n", job(code))).collect();
    let mut input = child.stdin.take().expect("stdin is piped");
    input.write_all(lines.as_bytes()).expect("the jobs can be written");
    drop(input);
    let output = child.wait_with_output().expect("Bunraku ends");
    let results = String::from_utf8_lossy(&output.stdout).into_owned();
    let result = |line: &str| {
        let mut result: Value = serde_json::from_str(line).expect("each line of the output is a result");
        match result["ok"] == true {
            true => Ok(result["value"].take()),
            false => Err(result["error"]["message"].as_str().unwrap_or_default().to_owned()),
        }
    };
    results.lines().map(result).collect()
}

#[track_caller]
fn answers(modules: &Path, cases: &[(&str, Result<Value, &str>)]) {
    let codes: Vec<&str> = cases.iter().map(|(code, _)| *code).collect();
    let results = run(modules, &codes);
    assert_eq!(results.len(), cases.len());
    for ((code, wanted), result) in cases.iter().zip(results) {
        assert_eq!(result, wanted.clone().map_err(|error| format!("{error} on node localhost")), "{code}");
    }
}

/// An error of a function that is called at the begin of the code.
macro_rules! call_error {
    ($text:literal) => {
        Err(concat!(
            "Evaluation Error: Error while evaluating a Function Call, ",
            $text,
            " (line: 1, column: 1)"
        ))
    };
}

#[test]
fn parameters_are_woven_in_and_are_no_part_of_the_signature() {
    let modules = module_path(FILES);
    let scope = "Puppet::Parser::Scope";
    answers(
        modules.path(),
        &[
            ("birds::woven(1)", Ok(json!(["hello", scope, 1, 1, 2, [42]]))),
            ("birds::woven(1, 7)", Ok(json!(["hello", scope, 1, 1, 2, [7, 42]]))),
            ("birds::woven(1, 7, 'x', 'y')", Ok(json!(["hello", scope, 1, 1, 2, [7, 42, "x", "y"]]))),
            ("birds::woven()", call_error!("'birds::woven' expects at least 1 argument, got none")),
            (
                "birds::woven('a')",
                call_error!("'birds::woven' parameter 'a' expects an Integer value, got String"),
            ),
            ("assert_syntax('{}', 'json')", Ok(json!("{}"))),
            ("assert_syntax('<a>', 'xml')", Ok(json!("<a>"))),
            ("assert_syntax('a', 'xml')", call_error!("this is no xml")),
            (
                "assert_syntax('{', 'json')",
                call_error!(
                    "JSON syntax checker: Cannot parse invalid JSON string. \"859: unexpected token at '{'\""
                ),
            ),
            ("assert_syntax('a', 'b')", call_error!("no checker but json, base64, pp, epp, shout, xml")),
            ("assert_syntax('a')", call_error!("'assert_syntax' expects 2 arguments, got 1")),
            ("assert_syntax('a', 'b', {})", call_error!("'assert_syntax' expects 2 arguments, got 3")),
        ],
    );
}

#[test]
fn attributes_are_looked_up_once() {
    let modules = module_path(FILES);
    let checkers = json!(["json", "base64", "pp", "epp", "shout", "xml"]);
    let told = |x: i64, serial: i64| json!([x, checkers, "Donald", "nobody", true, "hello", serial]);
    answers(
        modules.path(),
        &[
            ("[birds::attributes(1), birds::attributes(2)]", Ok(json!([told(1, 1), told(2, 2)]))),
            // Nothing is left for the next compile.
            ("birds::attributes(1)", Ok(told(1, 1))),
        ],
    );
}

#[test]
fn what_is_bound_is_found_by_type_and_name() {
    let modules = module_path(FILES);
    let once = |value: Value| Ok(json!([value, value, true, [value]]));
    answers(
        modules.path(),
        &[
            ("birds::look('greeting')", once(json!("hello"))),
            ("birds::look('String', 'greeting')", once(json!("hello"))),
            (
                "birds::look('Integer', 'greeting')",
                call_error!("Type error: incompatible type, expected: Integer, got: String"),
            ),
            ("birds::look('nothing')", once(Value::Null)),
            ("birds::look('same')", once(json!([1]))),
            ("birds::look('new')", Ok(json!([[1], [1], false, [[1]]]))),
            // A producer is one, or a new one for each look-up.
            ("birds::look('numbers')", Ok(json!([1, 2, false, [3]]))),
            ("birds::look('serial')", once(json!(1))),
            ("birds::look('other')", once(json!("hello"))),
            ("birds::look('first')", once(json!("hello"))),
            ("birds::look('goose')", once(json!("honk"))),
            ("birds::look('Hash[Scalar,String]', 'sounds')", once(json!({"duck": "quack", "goose": "honk"}))),
            ("birds::look('Array[Integer]', 'list')", once(json!([1, 2]))),
            ("birds::look('loop')", call_error!("Lookup loop detected for key: [loop]")),
        ],
    );
}

#[test]
fn checkers_that_modules_register_look_at_heredocs() {
    let modules = module_path(FILES);
    answers(
        modules.path(),
        &[
            ("@(X:xml)\n  <a>\n  | X\n", Ok(json!("<a>\n"))),
            (
                "$x = @(X:xml)\n  a\n  | X\n",
                Err(
                    "Could not parse for environment production: Invalid produced text having syntax: 'xml'. \
                     this is no xml (line: 2, column: 1)",
                ),
            ),
            (
                "$v = 1\n$x = @(\"X\":svg+xml)\n  a ${v}\n  | X\n",
                Err(
                    "Invalid produced text having syntax: 'svg+xml'. this is no svg+xml (line: 3, column: 1)",
                ),
            ),
            ("@(X:shout)\n  A\n  | X\n", Ok(json!("A\n"))),
            ("@(X:yaml)\n  a\n  | X\n", Ok(json!("a\n"))),
            (
                "$v = '['\n$x = @(\"X\":json)\n  ${v}\n  | X\n",
                Err(
                    "Invalid produced text having syntax: 'json'. JSON syntax checker: Cannot parse invalid JSON \
                     string. \"451: unexpected token at ''\" (line: 3, column: 1)",
                ),
            ),
        ],
    );
    let quiet = run(modules.path(), &["include loud::quiet"]).remove(0).expect_err("it is not loud");
    let file = modules.path().join("loud/manifests/quiet.pp");
    let wanted = format!(
        "Invalid produced text having syntax: 'shout'. shout is not loud enough (file: {}, line: 3, column: 1) on node \
         localhost",
        file.display()
    );
    assert_eq!(quiet, wanted);
}

#[test]
fn a_checker_that_misbehaves_is_one_error() {
    let modules = module_path(&[(
        "odd/lib/puppet_x/odd.rb",
        "class PuppetX::Odd < Puppet::Plugins::SyntaxCheckers::SyntaxChecker
           def check(text, syntax, acceptor, place)
             case text
             when /loop/ then loop {}
             when /exit/ then exit!
             when /nil/ then acceptor.accept(nil)
             end
           end
         end
         Puppet.lookup(:plugins)[Puppet::Plugins::SyntaxCheckers::SYNTAX_CHECKERS_KEY]['odd'] = PuppetX::Odd.new",
    )]);
    let compile = |word: &str, more: &[&str]| {
        let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
        let code = format!("$x = @(E:odd)\n{word}\n| E\n");
        command
            .args(["compile", "-e", &code, "--limit", "ruby_timeout=1", "--modulepath"])
            .arg(modules.path());
        let output = command.args(more).stdout(Stdio::null()).output().expect("Bunraku starts");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert_eq!(compile("fine", &[]), "");
    let words = [
        (
            "loop",
            "The check of a text of the syntax 'odd': ran for more than 1 seconds (setting ruby_timeout)",
        ),
        ("exit", "The check of a text of the syntax 'odd': Ruby ended: exit status: 1"),
        ("nil", "undefined method `severity' for nil"),
    ];
    for (word, wanted) in words {
        let error = compile(word, &[]);
        assert!(error.contains(wanted) && error.lines().count() == 1, "{wanted} is not in {error}");
    }
    let error = compile("fine", &["--ruby", "/none"]);
    assert!(error.contains("'odd' needs Ruby, and no Ruby was found ('/none')"), "{error}");
}

#[test]
fn an_archive_changes_nothing() {
    let modules = module_path(FILES);
    let archive = modules.path().join("modules.bnr");
    let bunraku = || Command::new(bunraku::binary().expect("Bunraku builds"));
    let built = bunraku().arg("build").arg(modules.path()).arg("-o").arg(&archive).output();
    assert!(built.is_ok_and(|built| built.status.success()));
    let quiet = |more: &[&str]| {
        let mut command = bunraku();
        command.args(["compile", "-e", "include loud::quiet", "--modulepath"]).arg(modules.path()).args(more);
        let output = command.output().expect("Bunraku starts");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let archive = archive.to_str().expect("a path in UTF-8");
    let wanted = quiet(&[]);
    assert!(wanted.contains("shout is not loud enough"), "{wanted}");
    assert_eq!(quiet(&["--archive", archive]), wanted);
    assert_eq!(quiet(&["--archive", archive, "--frozen"]), wanted);
}

#[test]
fn what_registers_is_looked_for_again_when_it_changes() {
    let file = FILES.iter().find(|(name, _)| name.ends_with("shout.rb")).expect("it is there");
    let modules = module_path(&[("loud/lib/puppet_x/loud/shout.rb", "# not yet\n"), FILES[FILES.len() - 1]]);
    let session = bunraku_compile::job::Session::default();
    let job = bunraku_compile::job::Job {
        code: Some("include loud::quiet".to_owned()),
        modulepath: Some(bunraku_compile::job::PathList::List(vec![modules.path().to_path_buf()])),
        ..Default::default()
    };
    assert!(session.run(&job).result.is_ok());
    fs::write(modules.path().join("loud/lib/puppet_x/loud/shout.rb"), file.1).expect("it can be written");
    let error = session.run(&job).result.expect_err("it is not loud");
    assert!(error.message.contains("shout is not loud enough"), "{}", error.message);
}

#[test]
fn bindings_that_make_no_sense_are_one_error() {
    let fails = |binding: &str| {
        let bindings = format!("Puppet::Bindings.newbindings('m::default') do\n{binding}\nend");
        let modules = module_path(&[
            ("m/lib/puppet/bindings/m/default.rb", &bindings),
            (
                "m/lib/puppet/functions/m/get.rb",
                "Puppet::Functions.create_function('m::get') do
                   dispatch(:get) { injected_param 'String', :x, 'x' }
                   def get(x); x; end
                 end",
            ),
        ]);
        run(modules.path(), &["m::get()"]).remove(0).expect_err("it fails")
    };
    let has = |error: String, words: &str| assert!(error.contains(words), "{words} is not in {error}");
    has(
        fails("bind.name('x').to_instance('No::Such')"),
        "Can not load the class No::Such specified in binding named: 'x'",
    );
    has(fails("bind.name('x').to(1)"), "Type error: incompatible type, expected: String, got: Integer");
    has(fails("bind.name('x').final.to('a')"), "final of Puppet's Ruby is not supported");
    has(fails("raise 'no mood'"), "no mood");
    has(
        fails("bind.name('x').to('a')\nbegin; Puppet.lookup(:plugins); rescue ; end\nraise 'no mood'"),
        "no mood",
    );
    has(fails("loop_without_end"), "is not supported");
}
