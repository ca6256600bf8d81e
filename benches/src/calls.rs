//! Calls of functions in Ruby: one at a time, of several kinds, as compiled code, in the worker and in real Puppet. What is
//! told is one call's share: of a loop with the call, less the same loop without.

use crate::calls_plain::{self, Plain};
use crate::cases::Case;
use crate::puppet::Puppet;
use crate::results::{Figures, number};
use bunraku_tests::bunraku::binary;
use bunraku_tests::used::used;
use serde_json::json;
use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::process::Command;

/// A function in Ruby, and how it is called.
pub struct Kind {
    /// What the table calls it.
    pub name: &'static str,
    /// What it is called with: set before the loop.
    before: &'static str,
    /// The call.
    call: &'static str,
    /// Its file below `lib/puppet`.
    file: &'static str,
    ruby: &'static str,
    /// The same in Rust alone, of those that have much to do.
    plain: Option<Plain>,
}

/// The functions, from next to nothing to some forty operations.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "gives its argument back",
        before: "$s = 'a'",
        call: "calls::same($s)",
        file: "functions/calls/same.rb",
        ruby: "Puppet::Functions.create_function(:'calls::same') do
  dispatch :same do
    param 'String', :text
  end
  def same(text)
    text
  end
end
",
        plain: None,
    },
    Kind {
        name: "a switch from a boolean or word",
        before: "$on = true",
        call: "calls::switch($on)",
        file: "functions/calls/switch.rb",
        ruby: "Puppet::Functions.create_function(:'calls::switch') do
  dispatch :switch do
    param 'Any', :value
  end
  def switch(value)
    return 'Off' if value.nil? || value == false || named?(value, %r{^(false|off)$}i) || value == :undef
    return 'On' if value == true || named?(value, %r{^(true|on)$}i)
    value.to_s
  end
  def named?(value, name)
    value.is_a?(String) && value.match?(name)
  end
end
",
        plain: None,
    },
    Kind {
        name: "the second of three signatures",
        before: "$h = {'a' => 1}",
        call: "calls::sized($h, 2)",
        file: "functions/calls/sized.rb",
        ruby: "Puppet::Functions.create_function(:'calls::sized') do
  dispatch :of_text do
    param 'String', :text
    optional_param 'Integer', :more
    return_type 'Integer'
  end
  dispatch :of_many do
    param 'Variant[Array, Hash[String, Integer]]', :many
    optional_param 'Integer[0]', :more
    return_type 'Integer'
  end
  dispatch :of_undef do
    param 'Undef', :nothing
  end
  def of_text(text, more = 0)
    text.length + more
  end
  def of_many(many, more = 0)
    many.size + more
  end
  def of_undef(_nothing)
    0
  end
end
",
        plain: None,
    },
    Kind {
        name: "strings: split, strip, join",
        before: "$s = 'alpha, beta ,gamma,, delta'",
        call: "calls::words($s)",
        file: "functions/calls/words.rb",
        ruby: "Puppet::Functions.create_function(:'calls::words') do
  dispatch :words do
    param 'String', :list
    optional_param 'String', :between
  end
  def words(list, between = '-')
    words = list.split(',').map(&:strip).reject { |word| word.empty? }
    \"<#{words.map { |word| word.capitalize }.join(between)}>\"
  end
end
",
        plain: Some(calls_plain::words),
    },
    Kind {
        name: "a loop over a hash of ten",
        before: "$h = {a => 1, b => '2', c => undef, d => [1, 2], e => 5, f => 'x', g => 7, h => true, i => 9, j => 'z'}",
        call: "calls::lines($h)",
        file: "functions/calls/lines.rb",
        ruby: "Puppet::Functions.create_function(:'calls::lines') do
  dispatch :lines do
    param 'Hash', :settings
  end
  def lines(settings)
    result = {}
    settings.each do |key, value|
      next if value.nil?
      result[\"set_#{key}\"] = value.is_a?(Array) ? value.join(' ') : value
    end
    result
  end
end
",
        plain: Some(calls_plain::lines),
    },
    Kind {
        name: "regular expressions with groups",
        before: "$s = 'https://user@example.com:8443/path'",
        call: "calls::parts($s)",
        file: "functions/calls/parts.rb",
        ruby: "Puppet::Functions.create_function(:'calls::parts') do
  dispatch :parts do
    param 'String', :url
  end
  def parts(url)
    case url
    when %r{\\A(\\w+)://(?:(\\w+)@)?([a-z0-9.-]+)(?::(\\d+))?(/.*)?\\z}
      { 'scheme' => $1, 'user' => $2, 'host' => $3, 'port' => $4.to_i, 'path' => $5 }
    when %r{\\A/}
      { 'path' => url }
    else
      raise Puppet::ParseError, \"no address: #{url}\"
    end
  end
end
",
        plain: None,
    },
    Kind {
        name: "forty operations on arrays and hashes",
        before: "$h = {'b' => ['x', 'y'], 'a' => 'one', 'c' => 3}",
        call: "calls::rules($h, 'eth0')",
        file: "functions/calls/rules.rb",
        ruby: "Puppet::Functions.create_function(:'calls::rules') do
  dispatch :rules do
    param 'Hash', :rules
    param 'String', :device
  end
  def rules(rules, device)
    number = device =~ /(\\d+)\\z/ ? $1.to_i : 0
    lines = []
    rules.keys.sort.each_with_index do |name, index|
      values = rules[name]
      values = [values] unless values.is_a?(Array)
      values.each do |value|
        line = \"#{index + number} #{name}\"
        line += \" #{value}\" unless value.to_s.empty?
        lines << line
      end
    end
    lines.uniq.map { |line| line.upcase }.reject { |line| line.include?('NONE') }
  end
end
",
        plain: Some(calls_plain::rules),
    },
    Kind {
        name: "the interface of Puppet 3",
        before: "$h = ['b', 'a', 'b']",
        call: "calls_old($h, 'x')",
        file: "parser/functions/calls_old.rb",
        ruby: "module Puppet::Parser::Functions
  newfunction(:calls_old, :type => :rvalue, :doc => 'Sorts.') do |args|
    raise(Puppet::ParseError, \"calls_old(): wrong number of arguments (#{args.size})\") if args.size < 1
    list = args[0]
    raise(Puppet::ParseError, 'calls_old(): requires an array') unless list.is_a?(Array)
    list.map { |item| item + args[1].to_s }.sort.uniq
  end
end
",
        plain: None,
    },
];

/// Puts the functions into a module below a folder, which is a module path then.
///
/// # Errors
/// When files can't be written.
pub fn module(folder: &Path) -> io::Result<()> {
    for kind in KINDS {
        let file = folder.join("calls/lib/puppet").join(kind.file);
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(file, kind.ruby)?;
    }
    Ok(())
}

impl Kind {
    /// A program that calls it so often; where `calls` is false the same without the calls.
    fn code(&self, times: usize, calls: bool) -> String {
        let Kind { before, call, .. } = self;
        let body = if calls { call } else { "$i" };
        // Once outside, so that the file is read in both.
        format!("{before}\n{call}\nInteger[1, {times}].each |$i| {{ {body} }}\n")
    }

    /// The same as a job.
    pub fn job(&self, modules: &Path, times: usize, calls: bool) -> serde_json::Value {
        json!({"code": self.code(times, calls), "modulepath": [modules]})
    }
}

/// Microseconds of a compile, the least of some, by the command's own `bench`: so it is the program that is released that is measured.
fn ours(modules: &Path, code: &str, natively: bool) -> Result<f64, String> {
    let mut command = Command::new(binary()?);
    command
        .args(["bench", "--rounds", "5", "--format", "json", "--modulepath"])
        .arg(modules)
        .args(["-e", code]);
    command.args((!natively).then_some("--no-native-ruby"));
    let output = command.output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let report: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    let mut figures = Figures::new();
    for time in report["nodes"][0]["milliseconds"].as_array().ok_or("there are no times")? {
        figures.push(time.as_f64().ok_or("a time is no number")? * 1e3);
    }
    Ok(figures.least())
}

fn theirs(puppet: &mut Puppet, case: &Case) -> Result<f64, String> {
    puppet.add(&case.name, &case.job)?;
    let mut figures = Figures::new();
    for _ in 0..4 {
        figures.push(puppet.run(&case.name)?.milliseconds * 1e3);
    }
    Ok(figures.least())
}

/// The table of calls.
///
/// # Errors
/// When a side can't compile a program.
pub fn report(work: &Path, puppet: &mut Puppet) -> Result<String, String> {
    let modules = work.join("calls-modules");
    module(&modules).map_err(|error| error.to_string())?;
    let mut out = "### Calls of functions in Ruby, warm\n\nOne call: what a loop with it takes more than one without, of \
                   20,000 rounds (1,000 in the worker, 4,000 in Puppet), by the least of some runs each. The last column is Puppet's time \
                   beside that of the same work in Rust alone, on values as plain as those of JSON: about what could be had at most.\n\n\
                   | function | Bunraku | in the worker | ratio | Puppet 7.23 | ratio | in Rust alone | ratio |\n\
                   | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        .to_owned();
    for kind in KINDS {
        let failed = |error: String| format!("{}: {error}", kind.name);
        let (often, seldom, some) = (20_000, 1_000, 4_000);
        let of_worker = |calls| ours(&modules, &kind.code(seldom, calls), false).map_err(failed);
        let natively = |calls| ours(&modules, &kind.code(often, calls), true).map_err(failed);
        let mut in_puppet = |calls| {
            let case = Case { name: format!("{} {calls}", kind.name), job: kind.job(&modules, some, calls) };
            theirs(puppet, &case).map_err(failed)
        };
        let one = (natively(true)? - natively(false)?) / often as f64;
        let worker = (of_worker(true)? - of_worker(false)?) / seldom as f64;
        let theirs = (in_puppet(true)? - in_puppet(false)?) / some as f64;
        let alone = kind.plain.map(calls_plain::microseconds);
        let alone =
            alone.map_or("|".to_owned(), |alone| format!("{} µs | {:.0}", number(alone), theirs / alone));
        let row = format!(
            "| {} | {} µs | {} µs | {:.0} | {} µs | {:.0} | {alone} |",
            kind.name,
            number(one),
            number(worker),
            worker / one,
            number(theirs),
            theirs / one
        );
        eprintln!("{row}");
        let _ = writeln!(out, "{row}");
    }
    out.push_str(&start_of_worker(&modules)?);
    Ok(out)
}

/// What it costs a process to call the first of the functions in a worker, in time on processors.
fn start_of_worker(modules: &Path) -> Result<String, String> {
    const ROUNDS: usize = 40;
    let binary = binary()?;
    let modulepath = modules.to_string_lossy();
    let one = |code: &str| {
        let args =
            ["compile", "--modulepath", &modulepath, "--no-native-ruby", "-o", "/dev/null", "-e", code];
        used(ROUNDS, &binary, &args).map(|used| used.processor * 1e3)
    };
    let Kind { before, call, .. } = &KINDS[0];
    let (with, without) = (one(&format!("{before}\n{call}"))?, one(before)?);
    let ruby = used(ROUNDS, Path::new("ruby"), &["--disable=gems", "-e", "1"])?.processor * 1e3;
    let text = format!(
        "\nThe worker's start: a process that calls the first of these in a worker takes {} ms of all processors' time, one that \
         calls nothing {} ms; the worker costs {} ms, of which an empty program of Ruby's takes {} ms (the least of {ROUNDS} runs).\n",
        number(with),
        number(without),
        number(with - without),
        number(ruby)
    );
    eprintln!("{text}");
    Ok(text)
}
