//! Functions in Ruby that Hiera asks are not asked again for what they have answered, once two compiles of a snapshot have: and nothing
//! of that shows. Each compile is compared with the same one of a compiler that has kept nothing.

use bunraku::stats::Kind;
use bunraku::{Compiler, Counts, Environment, Facts, Node, Reads, Settings, Strict};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// The first parameters of a function that Hiera asks key by key.
const HEAD: &str = "
  dispatch :find do
    param 'String[1]', :key
    param 'Hash', :options
    param 'Puppet::LookupContext', :context
  end
";

/// Looks for a key in a file named after the key's first parts.
const OF_FILES: &str = "
  def find(key, options, context)
    return context.cached_value(key) if context.cache_has_key(key)
    parts = key.split('::')
    parts.pop
    all = read(File.join(options['path'], parts) + '.yaml', context)
    context.not_found unless all.key?(key)
    context.cache(key, context.interpolate(all[key]))
  end

  def read(path, context)
    return {} unless File.exist?(path)
    context.cached_file_data(path) { |text| YAML.safe_load(text) }
  end
";

/// The same, without a look into what it finds.
const AS_IT_IS: &str = "
  def find(key, options, context)
    path = File.join(options['path'], 'b.yaml')
    all = context.cached_file_data(path) { |text| YAML.safe_load(text) }
    context.not_found unless all.key?(key)
    context.cache(key, all[key])
  end
";

/// Knows how often it has been asked.
const COUNTS: &str = "
  def find(key, options, context)
    @asked = (@asked || 0) + 1
    context.not_found if @asked < 3 || key == 'lookup_options'
    \"asked #{@asked} times\"
  end
";

/// Depends on a setting.
const OF_SETTINGS: &str = "
  def find(key, options, context)
    context.not_found if Puppet[:strict] == :error || key == 'lookup_options'
    'lax'
  end
";

/// Keeps what it is asked for later.
const KEEPS: &str = "
  def find(key, options, context)
    return context.cached_value(key) if context.cache_has_key(key)
    context.cache_all('b::later' => 'kept') if key == 'b::first'
    context.not_found
  end
";

/// Keeps something for one key that it answers another with.
const KEEPS_BESIDE: &str = "
  def find(key, options, context)
    context.not_found if key == 'lookup_options'
    return context.cached_value('beside') if key == 'b::later' && context.cache_has_key('beside')
    context.cache('beside', 'kept beside')
    context.cache('more', nil)
    context.cache(key, 5)
  end
";

/// Changes what it was given before.
const CHANGES: &str = "
  def find(key, options, context)
    all = context.cached_file_data(options['path'] + '.yaml') { |text| { 'asked' => [] } }
    known = all['asked'].include?(key)
    all['asked'] << key
    context.not_found unless known
    'asked before'
  end
";

/// Looks through expressions for the name of a node, and asks the data of those that match it for a key.
const OF_EXPRESSIONS: &str = "
  def find(key, options, context)
    return context.cached_value(key) if context.cache_has_key(key)
    data = context.cached_file_data(options['path'] + '/all.yaml') { |text| YAML.safe_load(text) }
    search(key, options['node'], data, context)
  end

  def search(wanted, node, data, context)
    data.each do |pattern, values|
      Puppet.debug(\"#{pattern} for #{wanted}\")
      next unless Regexp.new(pattern).match(node)
      next unless values.include?(wanted)
      return context.cache(wanted, context.interpolate(values[wanted]))
    end
    context.not_found
  end
";

/// Backends that do more with a key than ask data for it, each in another way.
const LOOKING: [&str; 13] = [
    "context.not_found if key == 'lookup_options'; 'a' == key ? 1 : key.to_s",
    "case key\n    when /later/ then 'late'\n    when 'e', String then 'other'\n    else context.not_found\n    end",
    "{ 'b::later' => 1, 'e' => nil }.fetch(key) { context.not_found }",
    "known = {}\n    %w[b::later e x y z a b c d f g].each { |name| known[name] = name }\n    known.key?(key) ? known[key] : context.not_found",
    "['e', 'b::first'].include?(key) ? 'listed' : context.not_found",
    "options[key] || options['path'].end_with?(key) ? 1 : context.not_found",
    "[key, [key]].flatten",
    "context.cache('kept', [key]) unless context.cache_has_key('kept')\n    context.cached_value('kept')",
    "context.not_found unless context.cache_has_key('b::later') || key.start_with?('b::l')\n    context.cache('b::later', 'kept')",
    "context.not_found if \"#{key}\".size < 3\n    format('%s!', key)",
    "[[key, 1]].to_h['e'] ? 'paired' : context.not_found",
    "key.nil? || key.is_a?(Symbol) || !key ? 'odd' : context.not_found",
    "begin\n      Integer(key)\n    rescue ArgumentError => e\n      e.message\n    rescue TypeError\n      'no text'\n    end",
];

/// Says something each time.
const WARNS: &str = "
  def find(key, options, context)
    Puppet.warning(\"nothing for #{key}\")
    context.not_found
  end
";

struct Site {
    folder: TempDir,
}

impl Site {
    /// An environment whose hierarchy asks one function, at a path that the fact `site` is in.
    fn new(body: &str, path: &str) -> Site {
        let site = Site { folder: tempfile::tempdir().expect("a folder can be made") };
        let function = format!("Puppet::Functions.create_function(:'a::find') do{HEAD}{body}end\n");
        site.write("modules/a/lib/puppet/functions/a/find.rb", &function);
        let entry = format!("{{name: one, lookup_key: 'a::find', path: '{path}'}}");
        site.write("hiera.yaml", &format!("version: 5\ndefaults: {{datadir: data}}\nhierarchy: [{entry}]\n"));
        // An entry is asked only where there is something at its path.
        for folder in ["data/x", "data/common"] {
            fs::create_dir_all(site.path(folder)).expect("folders can be made");
        }
        site.write("data/common.yaml", "{}");
        site.write(
            "manifests/site.pp",
            "['b::first', 'b::later', 'b::c::d', 'b::first', 'e'].each |$key| { notice($key, lookup($key, default_value => 'none')) }\n",
        );
        site
    }

    /// Gives the function options.
    fn give_options(&self, options: &str) {
        let entry = format!("{{name: one, lookup_key: 'a::find', path: common, options: {options}}}");
        self.write("hiera.yaml", &format!("version: 5\ndefaults: {{datadir: data}}\nhierarchy: [{entry}]\n"));
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("environment").join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders can be made");
        fs::write(path, text).expect("files can be written");
    }

    /// What a compile says and has read, and how often it has called the function.
    fn compile(&self, compiler: &Compiler, strict: Strict) -> (Vec<String>, Reads, u64) {
        self.compile_by(compiler, Settings { strict, ..Settings::default() })
    }

    fn compile_by(&self, compiler: &Compiler, settings: Settings) -> (Vec<String>, Reads, u64) {
        let facts = Facts::from_json(r#"{"site": "x"}"#).expect("these are facts");
        let node = Node::new("a.example.com").with_facts(facts);
        let settings = Settings { reads: true, counts: Counts::Calls, ..settings };
        let compiled = compiler.compile(&Environment::at(self.path("")), &node, &settings);
        if let Err(error) = compiled.result {
            panic!("{error}");
        }
        let stats = compiled.stats.expect("it was counted");
        let logs = compiled.logs.iter().map(|log| log.message.clone()).collect();
        let calls = stats.total(Kind::RubyNative).calls + stats.total(Kind::Ruby).calls;
        (logs, compiled.reads.expect("the settings ask for it"), calls)
    }

    /// How often the function is called in a compile, which says what it says where a Ruby process runs it.
    fn as_in_ruby(&self) -> u64 {
        let (logs, _, calls) = self.compile_by(&Compiler::new(), Settings::default());
        let in_ruby = Settings { native_ruby: false, ..Settings::default() };
        let (expected, ..) = self.compile_by(&Compiler::new(), in_ruby);
        assert_eq!(logs, expected);
        calls
    }

    /// Compiles with a compiler that has kept something, and compares with one that has not. How often the function was called.
    fn compared(&self, compiler: &Compiler, strict: Strict) -> u64 {
        let (logs, reads, calls) = self.compile(compiler, strict);
        let (expected, expected_reads, _) = self.compile(&Compiler::new(), strict);
        assert_eq!(logs, expected);
        assert_eq!(reads, expected_reads);
        calls
    }

    fn calls(&self, compiler: &Compiler, rounds: usize) -> Vec<u64> {
        (0..rounds).map(|_| self.compared(compiler, Strict::Error)).collect()
    }
}

#[test]
fn a_location_is_asked_once_for_what_it_does_not_have() {
    let site = Site::new(OF_FILES, "%{facts.site}");
    site.write("data/x/b.yaml", "'b::later': 'x'\n");
    let compiler = Compiler::new();
    // The first call of a compile reads the function's file.
    let calls = site.calls(&compiler, 4);
    assert!(calls[0] > 4 && calls[2..] == [1, 1], "{calls:?}");
    // A change is seen, and only by those who come after it.
    std::thread::sleep(Duration::from_millis(10));
    site.write("data/x/b.yaml", "'b::later': 'y'\n'b::first': 'z'\n");
    let after = site.calls(&compiler, 3);
    assert!(after[0] > 2, "{after:?}");
}

#[test]
fn what_is_found_is_kept_unless_it_is_another_one_for_each_node_or_large() {
    let site = Site::new(OF_FILES, "%{facts.site}");
    let long = "l".repeat(2000);
    for (value, calls) in [
        ("text", 1),
        ("''", 1),
        ("null", 1),
        ("-5", 1),
        ("1.5", 1),
        ("false", 1),
        ("'%{facts.site}'", 2),
        ("'100 %{'", 2),
        ("'100 %'", 1),
        ("[a, [1]]", 1),
        ("{a: {b: null}}", 1),
        ("[a, ['%{facts.site}']]", 2),
        ("{'%{facts.site}': b}", 2),
        (&long, 1),
        (&format!("{{a: {}}}", long.repeat(40)), 2),
    ] {
        site.write("data/x/b.yaml", &format!("'b::later': {value}\n"));
        assert_eq!(site.calls(&Compiler::new(), 4)[2..], [calls, calls], "{value}");
    }
}

#[test]
fn an_object_that_two_keys_may_lead_to_is_not_kept() {
    for (body, calls) in [(AS_IT_IS, 2), (OF_FILES, 1)] {
        let site = Site::new(body, "%{facts.site}");
        site.write("data/x/b.yaml", "'b::first': text\n'b::later': [a]\n");
        assert_eq!(site.calls(&Compiler::new(), 4)[2..], [calls, calls]);
    }
}

#[test]
fn what_a_context_was_given_to_keep_comes_with_the_answer() {
    let site = Site::new(KEEPS_BESIDE, "common");
    let calls = site.calls(&Compiler::new(), 4);
    assert!(calls[2] < calls[0], "{calls:?}");
    assert_eq!(site.as_in_ruby(), calls[0]);
}

#[test]
fn what_is_kept_is_asked_anew_where_it_may_have_changed() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let outside = folder.path().join("x");
    let site = Site::new(OF_FILES, &outside.to_string_lossy());
    fs::create_dir(&outside).expect("folders can be made");
    let compiler = Compiler::new();
    let calls = site.calls(&compiler, 3);
    assert!(calls[2] < calls[0], "{calls:?}");
    let write = |name: &str| {
        let path: &Path = &outside.join(name);
        fs::write(path, "'b::first': 'from outside'\n").expect("files can be written");
    };
    write("b.yaml");
    site.calls(&compiler, 3);
    fs::remove_file(outside.join("b.yaml")).expect("it is there");
    site.calls(&compiler, 2);
}

#[test]
fn what_rests_on_more_than_its_arguments_is_asked_each_time() {
    for body in [COUNTS, CHANGES, WARNS] {
        let site = Site::new(body, "common");
        let calls = site.calls(&Compiler::new(), 4);
        assert!(calls.iter().all(|count| *count == calls[0] && *count > 1), "{body}: {calls:?}");
    }
    // The others keep what their own context keeps.
    let site = Site::new(KEEPS, "common");
    site.calls(&Compiler::new(), 4);
}

#[test]
fn settings_of_other_compiles_do_not_show() {
    let site = Site::new(OF_SETTINGS, "common");
    let compiler = Compiler::new();
    for strict in [Strict::Error, Strict::Error, Strict::Error, Strict::Warning, Strict::Error] {
        site.compared(&compiler, strict);
    }
}

#[test]
fn who_only_asks_data_for_keys_is_asked_once_for_what_none_of_it_has() {
    let site = Site::new(OF_EXPRESSIONS, "common");
    site.give_options("{node: '%{facts.site}'}");
    site.write(
        "data/common/all.yaml",
        "'^y': {e: 'of y'}\n'^x': {a: 1, 'b::c::d': 'of x'}\n'x$': {'e': '%{facts.site}'}\n",
    );
    // What options there are is asked first; that answers for the two keys that none of the data has.
    assert_eq!(site.as_in_ruby(), 3);
    // What is found is kept from the second compile on, unless something in it stands for something else.
    assert_eq!(site.calls(&Compiler::new(), 3), [3, 3, 2]);
}

#[test]
fn who_looks_at_a_key_is_given_it() {
    for body in LOOKING {
        // Options of look-ups are asked for, too.
        let options = "return {} if options['skip'].include?(key)";
        let site = Site::new(
            &format!("\n  def find(key, options, context)\n    {options}\n    {body}\n  end\n"),
            "common",
        );
        site.give_options("{skip: {lookup_options: true}}");
        site.as_in_ruby();
    }
}
