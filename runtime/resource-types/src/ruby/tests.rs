//! What is read out of declarations in Ruby, form by form.

use super::*;
use crate::{DoubtKind, Presence, Steps};
use std::sync::Arc;

/// A module that has the files below `lib` that a function gives, and no providers.
impl<F: Fn(&str) -> Option<String>> Library for F {
    fn text(&self, path: &str) -> Option<String> {
        self(path)
    }

    fn text_at(&self, path: &str) -> Option<String> {
        self(path.strip_prefix("lib/")?)
    }

    fn steps_at(&self, path: &str) -> Option<Arc<Steps>> {
        Some(Arc::new(Steps::of(&self.text_at(path)?)))
    }

    fn providers(&self, _: &str) -> Vec<String> {
        Vec::new()
    }

    fn is_known(&self, name: &str) -> bool {
        name.starts_with("puppet/util/")
    }
}

fn read(source: &str) -> ResourceType {
    declared("x", Source::parse(source), &|_: &str| None)
}

#[test]
fn name_variables_are_found_in_every_form() {
    let source =
        "Puppet::Type.newtype(:x) do\n newparam(:path, :namevar => true) do\n end\n newparam(:other)\nend";
    assert_eq!(read(source).namevars, ["path"]);
    let source = "Puppet::Type.newtype(:x) do\nnewparam :key do\n desc 'isnamevar'\n isnamevar\n end\n newproperty(:v) {}\nend";
    assert_eq!(read(source).namevars, ["key"]);
    let source = "module Puppet\n newtype :x do\n newparam(:name) { }\n end\nend";
    assert_eq!(read(source).namevars, ["name"]);
}

#[test]
fn loops_over_literals_and_methods_are_followed() {
    let source = "
        WORDS = %w[e f].freeze
        Puppet::Type.newtype(:x) do
          def self.newcheck(name, options = {}, &block)
            check = newparam(name, options, &block)
          end
          newparam(:name, namevar: true)
          [:a, :b].each do |p| newparam(p) { desc p } end
          { c: 1, 'd' => 2 }.each { |key, _| newproperty(key) }
          WORDS.each { |w| newparam(w.to_sym) }
          newcheck(:g) do end
        end";
    let ty = read(source);
    assert_eq!(ty.unreadable, None);
    assert_eq!(ty.attributes.unwrap(), ["c", "d", "name", "a", "b", "e", "f", "g"]);
}

#[test]
fn what_a_module_does_when_it_is_mixed_in_is_followed() {
    let library = |path: &str| {
        (path == "puppet_x/mix").then(|| {
            "module PuppetX::Mix
               def self.extended(type)
                 type.newparam(:a) { desc 'a' }
                 type.newproperty(:b)
                 type.class_eval do
                   newparam(:c)
                 end
               end
             end"
            .to_owned()
        })
    };
    let source = "require 'puppet_x/mix'
        Puppet::Type.newtype(:x) do
          extend PuppetX::Mix
          newparam(:name, namevar: true)
        end";
    let ty = declared("x", Source::parse(source), &library);
    assert_eq!(ty.unreadable, None);
    assert_eq!(ty.attributes.unwrap(), ["b", "a", "c", "name"]);
}

#[test]
fn blocks_that_constants_hold_are_followed() {
    let read = |block: &str, call: &str| {
        let text = format!("module PuppetX\n module Mix\n NAMES = %w[d e]\n COMMON = {block}\n end\nend");
        let library = |path: &str| (path == "puppet_x/mix").then(|| text.clone());
        let source = format!(
            "require_relative '../../puppet_x/mix'\nPuppet::Type.newtype(:x) do\n{call}\n newparam(:f)\nend"
        );
        declared("x", Source::parse(&source), &library)
    };
    let block = "do\n ensurable\n newparam(:name, namevar: true)\n NAMES.each { |n| newparam(n) }\n end";
    for made in ["Proc.new", "proc"] {
        let ty = read(&format!("{made} {block}"), "instance_eval(&PuppetX::Mix::COMMON)");
        assert_eq!(ty.unreadable, None);
        assert_eq!(ty.namevars, ["name"]);
        assert_eq!(ty.attributes.unwrap(), ["ensure", "name", "d", "e", "f"]);
    }
    let left = |block: &str, call: &str| read(block, call).unreadable.unwrap_or_default();
    let why = "code is put together as text in line 3";
    // A lambda minds that it is given the type.
    assert_eq!(left(&format!("lambda {block}"), "instance_eval(&PuppetX::Mix::COMMON)"), why);
    assert_eq!(left(&format!("proc {block}"), "instance_eval(&PuppetX::Mix::OTHER)"), why);
    assert_eq!(left("proc { require 'x' }", "instance_eval(&PuppetX::Mix::COMMON)"), why);
    assert_eq!(left("proc { newparam(:a) }", "instance_eval(PuppetX::Mix::COMMON)"), why);
}

#[test]
fn what_only_ruby_knows_is_said() {
    let inside = |text: &str| {
        read(&format!("Puppet::Type.newtype(:x) do\nnewparam(:name)\n{text}\nend"))
            .unreadable
            .unwrap_or_default()
    };
    assert_eq!(
        inside("Dir.glob('*').each { |f| newparam(f) }"),
        "attributes are declared in a loop over what only Ruby knows in line 3"
    );
    assert_eq!(inside("include Foo::Bar"), "module Foo::Bar can't be read in line 3");
    assert_eq!(inside("newparam(:z) if x?"), "attributes depend on a condition in line 3");
    assert_eq!(inside("desc 'newparams'\ndef foo; end"), "");
    assert_eq!(read("class Foo\nend").unreadable.unwrap(), "its file declares no such type");
}

#[test]
fn modules_that_are_required_are_read() {
    let source = "
        require 'puppet_x/m'
        Puppet::Type.newtype(:x) do
          extend PuppetX::M
          create_parameters
          def self.title_patterns
            PuppetX::M.split(:name, :domain)
          end
        end";
    let library = "
        module PuppetX
          module M
            def create_parameters
              ensurable
              newparam(:name, :namevar => true)
              newparam(:domain) { isnamevar }
            end
            def self.word; Regexp.new(/[^:]+/); end
            def self.split(a, b, sep = '::', *rest)
              all = []
              if rest.empty? and sep == '::'
                all += [word, word]
              end
              [[/^(#{word})#{sep}(#{word})$/i, [[a], [b, lambda { |x| x }]]], [/^(#{word})$/, [[a]]]]
            end
          end
        end";
    let ty = declared("x", Source::parse(source), &|path: &str| {
        (path == "puppet_x/m").then(|| library.to_owned())
    });
    assert_eq!(ty.unreadable, None);
    assert_eq!(ty.namevars, ["name", "domain"]);
    assert_eq!(ty.requires, ["puppet_x/m"]);
    let parse = |title| ty.parse_title(title);
    assert_eq!(parse("A::b").unwrap(), [("name", "A"), ("domain", "b")]);
    assert_eq!(parse("a").unwrap(), [("name", "a")]);
    assert!(parse("a:b").is_err());
}

#[test]
fn title_patterns_that_are_put_together_piece_by_piece_are_read() {
    let read = |body: &str| {
        let source = format!(
            "Puppet::Type.newtype(:x) do
              newparam(:name, namevar: true)
              newparam(:domain, namevar: true)
              def self.title_patterns
                identity = ->(x) {{ x }}
                patterns = []
                {body}
              end
            end"
        );
        let ty = declared("x", Source::parse(&source), &|_: &str| None);
        let parsed = ty.parse_title("a:b").map(|found| found.len());
        (ty.unreadable, parsed.ok())
    };
    let (both, whole) =
        ("[/^(.*):(.*)$/, [[:name], [:domain, identity]]]", "[/^(.*)$/, [[:name, identity]]]");
    let computed = || Some("title patterns are computed in line 4".to_owned());
    assert_eq!(read(&format!("patterns << {both}\npatterns << {whole}\npatterns")), (None, Some(2)));
    assert_eq!(read(&format!("patterns.push({whole}, {both})\npatterns")), (None, Some(1)));
    assert_eq!(read(&format!("[{both}, {whole}].each {{ |one| patterns << one }}\npatterns")).0, computed());
    assert_eq!(read(&format!("patterns.unshift({whole})\npatterns")).0, computed());
    assert_eq!(read(&format!("patterns[0] = {whole}\npatterns")).0, computed());
    assert_eq!(read(&format!("other = patterns\nother << {whole}\npatterns")).0, computed());
}

#[test]
fn a_method_that_is_handed_the_type_is_followed() {
    let source = "
        require 'puppet_x/m'
        Puppet::Type.newtype(:x) do
          @doc = 'x'
          PuppetX::M.declare(self)
        end";
    let library = "
        module PuppetX
          module M
            def self.declare(type)
              type.ensurable
              type.define_singleton_method(:title_patterns) do
                [[%r{^([^/]*)$}, [[:section]]], [%r{^(.*)/(.*)$}, [[:section], [:setting]]]]
              end
              type.newproperty(:value) { munge { |v| v } }
              type.newparam(:setting) do
                isnamevar
              end
              type.newparam(:section) { isnamevar }
              type.newparam(:name)
            end
          end
        end";
    let ty = declared("x", Source::parse(source), &|path: &str| {
        (path == "puppet_x/m").then(|| library.to_owned())
    });
    assert_eq!(ty.unreadable, None);
    assert_eq!(ty.namevars, ["setting", "section", "name"]);
    assert_eq!(ty.attributes.as_deref().unwrap(), ["ensure", "value", "setting", "section", "name"]);
    assert_eq!(ty.parse_title("a").unwrap(), [("section", "a")]);
    assert_eq!(ty.parse_title("a/b").unwrap(), [("section", "a"), ("setting", "b")]);
    let ty = declared("x", Source::parse(source), &|_: &str| None);
    assert_eq!(ty.unreadable.unwrap(), "what is handed the type can't be read in line 5");
}

#[test]
fn the_resource_api_s_hashes_are_read() {
    let source = "
        require 'puppet/resource_api'
        Puppet::ResourceApi.register_type(
          name: 'x',
          title_patterns: [
            { pattern: %r{^(?<package>.*[^/])/(?<manager>.*)$}, desc: 'both' },
            { pattern: %r{^(?<package>.*)$}, desc: 'one' },
          ],
          attributes: {
            ensure:  { type: 'Enum[present, absent]', default: 'present' },
            package: { type: 'String', behaviour: :namevar },
            manager: { type: 'String', behaviour: :namevar },
            force:   { type: 'Boolean', behaviour: :parameter },
          },
        )";
    let ty = read(source);
    assert_eq!(ty.unreadable, None);
    assert_eq!(ty.namevars, ["package", "manager"]);
    assert_eq!(ty.attributes.as_deref().unwrap(), ["ensure", "package", "manager", "force"]);
    assert_eq!(ty.parse_title("a/b").unwrap(), [("package", "a"), ("manager", "b")]);
}

#[test]
fn a_heredoc_is_one_argument() {
    let attributes =
        "attributes: { name: { behaviour: :namevar }, size: { desc: <<-TEXT } },\n    b\n  TEXT\n)";
    let source =
        format!("Puppet::ResourceApi.register_type(\n  docs: <<-TEXT,\n    a\n  TEXT\n  {attributes}");
    let ty = read(&source);
    assert_eq!(ty.unreadable, None);
    assert_eq!(ty.attributes.as_deref().unwrap(), ["size", "name"]);
}

#[test]
fn what_is_appended_without_spaces_is_no_heredoc() {
    let method = "def text(r)\n if r.nil? == false\n  r<<\"\\n\" unless r =~ /\\n$/\n end\n end";
    let source =
        format!("Puppet::Type.newtype(:x) do\n newparam(:name) do\n desc 'x'\n end\n {method}\nend\n");
    assert_eq!(read(&source).unreadable, None);
}

#[test]
fn broken_and_endless_sources_end() {
    for source in ["Puppet::Type.newtype(:x) do", "((((", "\u{0}", &"[".repeat(100_000), &"!".repeat(100_000)]
    {
        read(source);
    }
    let endless = "Puppet::Type.newtype(:x) do\n def self.a; newparam(:q); a; end\n a\nend";
    assert!(read(endless).unreadable.is_some());
}

#[test]
fn what_the_resource_api_refuses_keeps_a_type_from_being_loaded() {
    let of = |name: &str, attributes: &str| {
        read(&format!(
            "require 'puppet/resource_api'
            Puppet::ResourceApi.register_type(name: '{name}', desc: 'x', attributes: {{ {attributes} }})"
        ))
    };
    let refused = |attributes: &str| of("x", attributes).failure.map(|failure| failure.messages.concat());
    let failure = |detail: &str| Some(format!("Could not autoload puppet/type/x: {detail}"));
    let name = "name: { type: 'String', behaviour: :namevar }";
    assert_eq!(refused(name), None);
    assert_eq!(
        refused("name: { type: 'String', behaviour: :namvar }"),
        failure("`namvar` is not a valid behaviour value")
    );
    assert_eq!(refused(&format!("{name}, package: {{ desc: 'x' }}")), failure("`x.package` has no type"));
    assert_eq!(
        refused(&format!("{name}, tag: {{ type: 'String' }}, title: {{ type: 'String' }}")),
        failure("must not define an attribute called `:title`")
    );
    // What code computes may be right.
    assert_eq!(refused(&format!("{name}, package: {{ **COMMON, desc: 'x' }}")), None);
    assert_eq!(refused("name: { type: 'String', behaviour: WORD }"), None);
    assert_eq!(of("x", name).presence, Presence::Present);
    assert_eq!(of("y", name).presence, Presence::Absent);
}

#[test]
fn a_hash_within_a_hash_is_its_pairs() {
    let source = "
        COMMON = { force: { type: 'Boolean', behaviour: :parameter } }
        Puppet::ResourceApi.register_type(
          name: 'x',
          attributes: { name: { type: 'String', behaviour: :namevar }, **COMMON },
        )";
    assert_eq!(read(source).attributes.unwrap(), ["name", "force"]);
    let unknown = source.replace("**COMMON", "**OTHER");
    assert_eq!(read(&unknown).unreadable.unwrap(), "an attribute's name is computed in line 3");
}

#[test]
fn a_file_without_its_type_is_seen() {
    assert_eq!(read("").presence, Presence::Absent);
    assert_eq!(read("# x\n").presence, Presence::Absent);
    assert_eq!(read("Puppet::Type.newtype(:y) { }").presence, Presence::Doubted);
    assert_eq!(read("Maker.make(:x)").presence, Presence::Present);
    assert_eq!(read("Puppet::Type.newtype(NAME) { }").presence, Presence::Present);
    assert_eq!(read("Puppet::Type.newtype(:X) { }").presence, Presence::Present);
}

#[test]
fn what_puppet_s_classes_refuse_is_doubted() {
    let doubted = |body: &str| {
        let doubts = doubts(&format!("Puppet::Type.newtype(:x) do\n newparam(:name)\n{body}\nend\n"));
        let of_kind = doubts.into_iter().filter(|(kind, _)| *kind == DoubtKind::Declared);
        of_kind.map(|(_, text)| text).collect::<Vec<_>>()
    };
    let none: [&str; 0] = [];
    assert_eq!(doubted("newparm(:a)"), ["newparm"]);
    assert_eq!(doubted("ensurabel"), ["ensurabel"]);
    assert_eq!(doubted("newproperty(:a) do\n newvalu :b\n end"), ["newvalu"]);
    assert_eq!(doubted("newparam(:a) { newvalue :b }"), ["newvalue"]);
    assert_eq!(doubted("newparam(:name) { }"), ["name"]);
    assert_eq!(doubted("newproperty(:name) { }"), none);
    assert_eq!(doubted("ensurable\n newproperty(:ensure) { }"), ["ensure"]);
    assert_eq!(doubted("newparam('q-r')"), ["q-r"]);
    assert_eq!(doubted("newparam('9')\n newproperty('9a')"), ["9a"]);
    for body in [
        "def self.own(n); end\n own 1",
        "define_singleton_method(:own) { }\n own",
        "class << self\n attr_accessor :own\n end\n own",
        "def self.method_missing(n); end\n own",
        "extend Puppet::Util::Own\n own",
        "own = 1\n own",
        "[:a].each { |own| newparam(own) { desc own } }",
        "newparam(:a, parent: Own) { own }",
        "newparam(:a, **OPTIONS) { own }",
        "newparam(:a, parent: Puppet::Property::Boolean) { newvalues :b }",
        "newproperty(:a, :parent => Puppet::Property::Ensure) { defaultvalues }",
        "newparam(:a) { extend Own; own }",
        "newparam(:a) { own = 1; own }",
        "newparam(:a) { validate { own } }",
        "own if Own",
        "validate do\n own\n end",
        "ensurable { defaultvalues; newvalue(:b) { own } }",
        "apply_to_device\n feature :a, 'b'\n autorequire(:file) { own }",
    ] {
        assert_eq!(doubted(body), none, "{body}");
    }
}

/// What is doubted of a type, as kinds and texts.
fn doubts(source: &str) -> Vec<(DoubtKind, String)> {
    let library = |path: &str| (path == "puppet_x/there").then(|| "require 'puppet_x/not_there'".to_owned());
    let ty = crate::declared("x", source.as_bytes(), &library);
    ty.doubts.into_iter().map(|doubt| (doubt.kind, doubt.text)).collect()
}

#[test]
fn what_is_required_at_once_and_lies_nowhere_is_doubted() {
    let type_of = |body: &str| format!("Puppet::Type.newtype(:x) do\n{body}\nend\n");
    let lacking = |kind, text: &str| vec![(kind, text.to_owned())];
    assert_eq!(doubts(&type_of("require 'puppet/util/errors'")), []);
    assert_eq!(doubts("require 'a/b'"), lacking(DoubtKind::Require, "a/b"));
    assert_eq!(
        doubts(&type_of("newparam(:a) do\nrequire 'a/b.rb'\nend")),
        lacking(DoubtKind::Require, "a/b")
    );
    assert_eq!(doubts("require 'puppet_x/there'"), lacking(DoubtKind::Require, "puppet_x/not_there"));
    assert_eq!(doubts("require_relative '../../c'"), lacking(DoubtKind::Relative, "../../c"));
    let there = [
        "require_relative '../../puppet_x/there'",
        "require File.expand_path('../../../puppet_x/there', __FILE__)",
        "require File.join(File.dirname(__FILE__), '..', '..', 'puppet_x', 'there.rb')",
        "require File.join(__dir__, '../../puppet_x/there')",
        "require \"#{__dir__}/../../puppet_x/there\"",
        "require \"#{Pathname.new(__FILE__).dirname}/../../puppet_x/there\"",
        "require \"#{File.dirname(__FILE__)}/../../puppet_x/there.rb\"",
        "x = require 'puppet_x/there' rescue nil",
    ];
    for source in there {
        assert_eq!(doubts(source), lacking(DoubtKind::Require, "puppet_x/not_there"), "{source}");
    }
}

#[test]
fn what_is_run_later_or_rescued_is_not_doubted() {
    let sources = [
        "def a; require 'b'; end",
        "require 'b' if c",
        "begin\nrequire 'b'\nrescue LoadError\nend",
        "begin\nraise 'b'\nrescue\nend",
        "Puppet::Type.newtype(:x) do\nvalidate do\nrequire 'b'\nraise 'c'\nend\nend",
        "$LOAD_PATH.unshift(d)\nrequire 'b'",
        "Puppet::Type.newtype(:x) do\nend",
        "Puppet::Type.type(:file).provider(:posix)",
        "class Puppet::Type\nnewtype(:x) do\nend\nend",
    ];
    for source in sources {
        assert_eq!(doubts(source), [], "{source}");
    }
    let kinds = |source: &str| doubts(source).into_iter().map(|(kind, _)| kind).collect::<Vec<_>>();
    assert_eq!(kinds("begin\nrequire 'b'\nrescue => e\nend"), [DoubtKind::Require]);
    assert_eq!(kinds("module Puppet\nnewtype(:x) do\nend\nend"), [DoubtKind::NewType]);
    assert_eq!(kinds("Puppet.newtype(:x) { }"), [DoubtKind::NewType]);
    assert_eq!(kinds("Puppet::Type.newtype(:x) { raise 'b' }"), [DoubtKind::Raise]);
    assert_eq!(kinds("Puppet::Type.type(:no).provider(:b)"), [DoubtKind::NoType]);
    assert_eq!(kinds("Puppet::Type.newtype(:x) do"), [DoubtKind::Syntax]);
}
