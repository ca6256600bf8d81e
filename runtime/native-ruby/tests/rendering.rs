//! Templates rendered in a world with a few variables and no Ruby: what comes of them, and what is left to Ruby.

use bunraku_native_ruby::{Journal, Rendered, ReplayOf, WorkerState};
use bunraku_vm::host::Erb;
use bunraku_vm::value::Value;
use world::with_world;

mod world;

fn text(rendered: Result<Rendered<'_>, Journal<'_>>) -> Option<String> {
    rendered.ok().map(|rendered| rendered.text)
}

#[test]
fn a_text_is_rendered_with_the_variables_of_its_scope() {
    with_world(&[], |world, templating, vm, scope| {
        let template = Erb::Text("<% @words.each do |word| -%>\n- <%= word.upcase %>\n<% end -%>");
        let rendered = text(templating.render(world, vm, scope, &template));
        assert_eq!(rendered.as_deref(), Some("- A\n- B\n"));
        assert!(world.left.borrow().is_empty());
    });
}

/// As Ruby reads its source; the text around the code stays as it is.
#[test]
fn both_ends_of_a_line_are_one_in_code() {
    with_world(&[], |world, templating, vm, scope| {
        let template = Erb::Text("<%= \"a\r\nb\" -%>\r\nz\r\n<%= 'c\\\r\nd' + \"e\\\r\nf\" %>\r\n");
        let rendered = text(templating.render(world, vm, scope, &template));
        assert_eq!(rendered.as_deref(), Some("a\nbz\r\nc\\\ndef\r\n"));
    });
}

#[test]
fn what_is_not_known_is_left_to_ruby_with_its_reason() {
    with_world(&[], |world, templating, vm, scope| {
        for template in ["a\n<%= `date` %>", "<%= @words.frobnicate %>"] {
            assert!(templating.render(world, vm, scope, &Erb::Text(template)).is_err(), "{template}");
        }
        let left = world.left.borrow();
        let [backticks, method] = &left[..] else { panic!("{left:?}") };
        assert!(backticks.starts_with("inline_template: ") && backticks.ends_with("line 2"), "{backticks}");
        assert_eq!(method, "inline_template: the method frobnicate, line 1");
    });
}

#[test]
fn a_template_renders_another_of_the_same_scope() {
    let files = [
        ("outer.erb", "[<%= scope.function_template(['inner.erb']) %>]"),
        ("inner.erb", "<%= @words.size %>"),
    ];
    with_world(&files, |world, templating, vm, scope| {
        let file = world.path.join("outer.erb").to_string_lossy().into_owned();
        let template = Erb::File { name: "outer.erb", file: &file };
        assert_eq!(text(templating.render(world, vm, scope, &template)).as_deref(), Some("[2]"));
    });
}

#[test]
fn a_variable_that_a_template_sets_is_seen_by_the_next_until_ruby_asks_for_it() {
    with_world(&[], |world, templating, vm, scope| {
        let set = Erb::Text("<% scope.setvar('own_number', 7) %>");
        let seen = Erb::Text("<%= scope.lookupvar('own_number') %>");
        assert!(templating.render(world, vm, scope, &set).is_ok());
        assert_eq!(text(templating.render(world, vm, scope, &seen)).as_deref(), Some("7"));
        assert!(templating.take_replays(scope, Some(&["another"])).is_empty());
        let replays = templating.take_replays(scope, Some(&["own_number"]));
        let texts: Vec<_> = replays
            .iter()
            .map(|replay| match &replay.template {
                ReplayOf::Text(text) => text.as_str(),
                ReplayOf::File { name, .. } => name,
            })
            .collect();
        assert_eq!(texts, ["<% scope.setvar('own_number', 7) %>", "<%= scope.lookupvar('own_number') %>"]);
        assert!(templating.render(world, vm, scope, &seen).is_err());
        // A worker may be there, as long as it has not ended while code in Ruby was running.
        world.worker.set(WorkerState::Present);
        let set = Erb::Text("<% scope.setvar('other_number', 7) %>");
        assert!(templating.render(world, vm, scope, &set).is_ok());
        assert_eq!(templating.take_replays(scope, None).len(), 1);
        world.worker.set(WorkerState::Ended);
        let set = Erb::Text("<% scope.setvar('third_number', 7) %>");
        assert!(templating.render(world, vm, scope, &set).is_err());
    });
}

#[test]
fn ruby_renders_what_has_defined_methods_before_what_may_call_them() {
    with_world(&[], |world, templating, vm, scope| {
        let defines = Erb::Text("<% def twice(x) x * 2 end %><%= twice(1) %>");
        for _ in 0..2 {
            assert_eq!(text(templating.render(world, vm, scope, &defines)).as_deref(), Some("2"));
        }
        assert!(templating.take_definitions(|| Some("<%= thrice(1) %>".to_owned())).is_empty());
        assert_eq!(templating.take_definitions(|| Some("<%= twice(1) %>".to_owned())).len(), 1);
        assert!(templating.take_definitions(|| None).is_empty());
        // What can't be rendered again without being seen is Ruby's at once.
        let logs = Erb::Text("<% def twice(x) x * 2 end; scope.function_notice(['x']) %>");
        assert!(templating.render(world, vm, scope, &logs).is_err());
    });
}

#[test]
fn an_array_changed_in_place_is_told_and_changed_nowhere() {
    with_world(&[], |world, templating, vm, scope| {
        let template = Erb::Text("<% @words << 'c' %><%= @words.size %>");
        let rendered = templating.render(world, vm, scope, &template).ok().expect("it is rendered");
        assert_eq!(rendered.text, "3");
        let [(Value::Array(old), Value::Array(changed))] = &rendered.changed[..] else {
            panic!("it changes one array")
        };
        assert_eq!((old.size(), changed.size()), (2, 3));
        let Some(Value::Array(words)) = scope.lookup(vm.symbols.intern("words")) else {
            panic!("it is an array")
        };
        assert_eq!(words.size(), 2);
    });
}

#[test]
fn nothing_is_asked_behind_a_random_number() {
    with_world(&[], |world, templating, vm, scope| {
        let lines = "<% 3.times { %><%= rand(10) %><% } %>";
        let drawn = text(templating.render(world, vm, scope, &Erb::Text(lines))).expect("it is rendered");
        assert!(drawn.len() == 3 && drawn.bytes().all(|digit| digit.is_ascii_digit()), "{drawn}");
        // What only computes may follow it, and a function may come before it; a variable that is set can't be set again.
        for template in [
            "<%= rand %><%= scope.call_function('m::asks', [1]) %>",
            "<% scope.setvar('drawn_number', rand(100)) %>",
        ] {
            assert!(templating.render(world, vm, scope, &Erb::Text(template)).is_err(), "{template}");
        }
        let left = world.left.borrow().clone();
        assert_eq!(left[0], "inline_template: a question behind a random number");
        // Where there is a worker, code in it may have seeded the generator.
        world.worker.set(WorkerState::Present);
        assert!(templating.render(world, vm, scope, &Erb::Text(lines)).is_err());
    });
}

#[test]
fn a_template_calls_what_another_has_defined() {
    let files = [
        ("define.erb", "<% def twice(x) x * 2 end %><% def deep(x) twice(twice(x)) end -%>"),
        ("with.erb", "<% def wrapped() @words.size end -%>"),
        ("use.erb", "<% scope.function_template(['define.erb']) -%><%= deep(@words.size) %>"),
        ("again.erb", "<%= deep('a') %> <%= twice(1) %>"),
        ("own.erb", "<% def twice(x) 'own' end %><%= twice(1) %>"),
        (
            "nested.erb",
            "<% def twice(x) 'own' end; scope.function_template(['define.erb']) %><%= twice(1) %>",
        ),
        ("other.erb", "<%= wrapped %>"),
        ("none.erb", "<%= thrice(1) %>"),
    ];
    with_world(&files, |world, templating, vm, scope| {
        let mut render = |name: &str| {
            let file = world.path.join(name).to_string_lossy().into_owned();
            text(templating.render(world, vm, scope, &Erb::File { name, file: &file }))
        };
        assert_eq!(render("again.erb"), None, "nobody has defined it yet");
        assert_eq!(render("use.erb").as_deref(), Some("8"));
        assert_eq!(render("again.erb").as_deref(), Some("aaaa 2"));
        assert_eq!(render("own.erb").as_deref(), Some("own"));
        assert_eq!(render("nested.erb"), None, "which of two is the last is not noted");
        assert!(render("with.erb").is_some());
        assert_eq!(render("other.erb"), None, "variables are numbered otherwise there");
        assert_eq!(render("none.erb"), None);
        let left = world.left.borrow();
        assert!(left.iter().any(|reason| reason == "none.erb: the method thrice, line 1"), "{left:?}");
    });
}

#[test]
fn a_variable_is_found_by_a_name_that_is_made() {
    with_world(&[], |world, templating, vm, scope| {
        let mut render = |template: &str| text(templating.render(world, vm, scope, &Erb::Text(template)));
        let of = |code: &str| format!("<% n = 'words' %><%= {code} %>");
        let words = render("<%= @words %>");
        assert!(words.as_deref().is_some_and(|words| words.contains("\"a\"")), "{words:?}");
        assert_eq!(render(&of("instance_variable_get(\"@#{n}\")")), words, "{:?}", world.left.borrow());
        assert_eq!(render(&of("eval(\"@#{n}\")")), words);
        assert_eq!(render(&of("instance_variable_get(:@words)")), words);
        assert_eq!(render(&of("instance_variable_get(\"@no_#{n}\").inspect")).as_deref(), Some("nil"));
        let set = "<% @own = 1; n = 'own' %><%= instance_variable_get(\"@#{n}\") %>";
        assert_eq!(render(set).as_deref(), Some("1"));
        for other in
            ["eval(\"@#{n}.size\")", "eval(\"@#{n}-\")", "eval(\"#{n}\")", "eval(n)", "eval(\"@#{1}\")"]
        {
            assert_eq!(render(&of(other)), None, "{other}");
        }
        let named = "<% n = 'words.size' %><%= eval(\"@#{n}\") %>";
        assert_eq!(render(named), None, "it is no name");
    });
}

#[test]
fn a_template_knows_its_file() {
    let files = [
        ("outer.erb", "<%= file << '!' %> <%= file %> <%= scope.function_template(['inner.erb']) %>"),
        ("inner.erb", "<%= File.basename(file) %>"),
        ("own.erb", "<% def file() 'own' end %><%= file %>"),
        ("again.erb", "<%= file %>"),
    ];
    with_world(&files, |world, templating, vm, scope| {
        let place = |name: &str| world.path.join(name).to_string_lossy().into_owned();
        let mut render =
            |name: &str| text(templating.render(world, vm, scope, &Erb::File { name, file: &place(name) }));
        let outer = place("outer.erb");
        assert_eq!(render("outer.erb"), Some(format!("{outer}! {outer}! inner.erb")));
        assert_eq!(render("again.erb"), Some(place("again.erb")));
        assert_eq!(render("own.erb").as_deref(), Some("own"));
        assert_eq!(render("again.erb").as_deref(), Some("own"));
        let of_text = Erb::Text("<%= scope().lookupvar('words').size %>");
        assert_eq!(text(templating.render(world, vm, scope, &of_text)).as_deref(), Some("2"));
    });
}

#[test]
fn a_global_variable_is_seen_until_there_is_a_worker() {
    with_world(&[], |world, templating, vm, scope| {
        let mut render = |template: &str| text(templating.render(world, vm, scope, &Erb::Text(template)));
        assert_eq!(render("<% $n ||= 0; $n += 1; $text = 'a' %><%= $n %>").as_deref(), Some("1"));
        assert_eq!(render("<% $n ||= 0; $n += 1; $text << 'b' %><%= $n %>").as_deref(), Some("2"));
        assert_eq!(render("<% $other = 1; @words.frobnicate %>"), None);
        assert_eq!(render("<%= $other.inspect %> <%= $n %> <%= $text %>").as_deref(), Some("nil 2 ab"));
        assert_eq!(render("<% $words = @words %>"), None, "it may be changed later");
        world.worker.set(WorkerState::Present);
        assert_eq!(render("<%= $n %>"), None);
        assert_eq!(render("<% $n = 1 %>"), None);
        world.worker.set(WorkerState::None);
        let texts = |text: &str| templating.take_definitions(|| Some(text.to_owned())).len();
        assert_eq!(texts("<%= $z %>"), 0);
        assert_eq!(texts("<%= $n %>"), 2);
    });
}
