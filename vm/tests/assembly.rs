//! The loop, from units written by hand: no compiler in between.

mod machine;

use bunraku_vm::isa::{Op, abc, abx, asx, sx};
use bunraku_vm::unit::writer::{ChunkKind, Const, ParamSpec, UnitWriter};
use machine::{Stub, chunk, position, run, run_in, unit};

/// `R[0] := K[value]` and so on for each value, each in a register of its own, then `rest`, then the result.
fn with(values: &[Const], rest: &[u32], result: u8) -> Result<String, String> {
    run(&unit(16, &[], |writer| {
        let mut code = Vec::new();
        for (register, value) in (0..).zip(values) {
            code.push(abx(Op::LoadConst, register, writer.constant(value) as u16));
        }
        code.extend_from_slice(rest);
        code.push(abc(Op::Return, result, 0, 0));
        code
    }))
}

fn ok(value: &str) -> Result<String, String> {
    Ok(value.to_owned())
}

fn string(text: &str) -> Const {
    Const::Str(text.to_owned())
}

#[test]
fn constants_of_every_kind() {
    let nested = Const::Hash(vec![
        (string("a"), Const::Array(vec![Const::Int(1), Const::Undef, Const::Bool(true)])),
        (Const::Int(-3), Const::Float(1.5)),
    ]);
    assert_eq!(with(&[nested], &[], 0), ok("{'a' => [1, undef, true], -3 => 1.5}"));
    assert_eq!(with(&[Const::Int(i64::MIN)], &[], 0), ok("-9223372036854775808"));
    assert_eq!(with(&[Const::Default], &[], 0), ok("default"));
    assert_eq!(with(&[Const::Regexp("a.b".to_owned())], &[], 0), ok("/a.b/"));
    assert_eq!(with(&[], &[asx(Op::LoadInt, 0, -7)], 0), ok("-7"));
    assert_eq!(with(&[], &[abc(Op::LoadBool, 0, 1, 0)], 0), ok("true"));
}

#[test]
fn arithmetic_and_comparison() {
    let numbers = [Const::Int(7), Const::Int(2), Const::Float(0.5)];
    for (op, want) in [
        (Op::Add, "9"),
        (Op::Sub, "5"),
        (Op::Mul, "14"),
        (Op::Div, "3"),
        (Op::Mod, "1"),
        (Op::ShiftLeft, "28"),
        (Op::ShiftRight, "1"),
        (Op::Equal, "false"),
        (Op::NotEqual, "true"),
        (Op::Less, "false"),
        (Op::LessEqual, "false"),
        (Op::Greater, "true"),
        (Op::GreaterEqual, "true"),
    ] {
        assert_eq!(with(&numbers, &[abc(op, 3, 0, 1)], 3), ok(want), "{op:?}");
    }
    assert_eq!(with(&numbers, &[abc(Op::Add, 3, 0, 2)], 3), ok("7.5"));
    assert_eq!(with(&numbers, &[abc(Op::Negate, 3, 0, 0)], 3), ok("-7"));
    assert_eq!(with(&numbers, &[abc(Op::Not, 3, 0, 0)], 3), ok("false"));
    assert_eq!(with(&[Const::Undef], &[abc(Op::Truth, 3, 0, 0)], 3), ok("false"));
}

#[test]
fn jumps_skip_what_is_between() {
    // R0 := 7; R1 := false; unless R1 skip two; R0 := 8 (skipped twice over); R0 := R0 + R0
    let code = [
        asx(Op::LoadInt, 0, 7),
        abc(Op::LoadBool, 1, 0, 0),
        asx(Op::JumpUnless, 1, 2),
        asx(Op::LoadInt, 0, 8),
        sx(Op::Jump, 1),
        abc(Op::Add, 0, 0, 0),
    ];
    assert_eq!(with(&[], &code, 0), ok("14"));
}

#[test]
fn collections_are_built() {
    let parts = [string("a"), Const::Int(1), string("b"), Const::Int(2)];
    assert_eq!(with(&parts, &[abc(Op::NewArray, 5, 0, 4)], 5), ok("['a', 1, 'b', 2]"));
    assert_eq!(with(&parts, &[abc(Op::NewHash, 5, 0, 2)], 5), ok("{'a' => 1, 'b' => 2}"));
    assert_eq!(with(&parts, &[abc(Op::Concat, 5, 0, 4)], 5), ok("'a1b2'"));
    let append = [abc(Op::NewArray, 5, 0, 1), abc(Op::Append, 5, 1, 2)];
    assert_eq!(with(&parts, &append, 5), ok("['a', 1, 'b']"));
    let splat = [abc(Op::NewArray, 5, 0, 1), abc(Op::NewArray, 6, 2, 2), abc(Op::Splat, 5, 6, 0)];
    assert_eq!(with(&parts, &splat, 5), ok("['a', 'b', 2]"));
    let put = [abc(Op::NewHash, 5, 0, 1), abc(Op::PutHash, 5, 2, 1)];
    assert_eq!(with(&parts, &put, 5), ok("{'a' => 1, 'b' => 2}"));
    let access = [abc(Op::NewHash, 5, 0, 2), abc(Op::Move, 6, 2, 0), abc(Op::Access, 5, 5, 1)];
    assert_eq!(with(&parts, &access, 5), ok("2"));
}

#[test]
fn slots_are_set_once() {
    let words = unit(2, &["x", "y"], |_| {
        vec![asx(Op::LoadInt, 0, 5), abx(Op::SetSlot, 0, 1), abx(Op::GetSlot, 1, 1), abc(Op::Return, 1, 0, 0)]
    });
    assert_eq!(run(&words), ok("5"));
    let words = unit(1, &["x"], |_| {
        vec![asx(Op::LoadInt, 0, 5), abx(Op::SetSlot, 0, 0), abx(Op::SetSlot, 0, 0), abc(Op::Return, 0, 0, 0)]
    });
    assert!(run(&words).unwrap_err().contains("Cannot reassign variable '$x'"));
    let words = unit(1, &["x"], |_| vec![abx(Op::GetSlot, 0, 0), abc(Op::Return, 0, 0, 0)]);
    assert!(run(&words).unwrap_err().contains("Unknown variable: 'x'"));
}

#[test]
fn a_match_gives_groups_until_it_is_dropped() {
    let values = [string("web01"), Const::Regexp(r"(\w+?)(\d+)".to_owned())];
    let matching = [abc(Op::MarkMatches, 2, 0, 0), abc(Op::Match, 3, 0, 1), abx(Op::GetMatch, 4, 2)];
    assert_eq!(with(&values, &matching, 4), ok("'01'"));
    let dropped = [matching[0], matching[1], abc(Op::DropMatches, 2, 0, 0), abx(Op::GetMatch, 4, 2)];
    assert_eq!(with(&values, &dropped, 4), ok("undef"));
}

#[test]
fn options_of_a_case() {
    let values = [string("Debian"), string("debian"), Const::Array(vec![Const::Int(1), string("DEBIAN")])];
    assert_eq!(with(&values, &[abc(Op::Option, 3, 0, 1)], 3), ok("true"));
    assert_eq!(with(&values, &[abc(Op::Option, 3, 0, 2)], 3), ok("false"));
    assert_eq!(with(&values, &[abc(Op::OptionAny, 3, 0, 2)], 3), ok("true"));
    assert!(with(&values, &[abc(Op::NoOption, 0, 0, 0)], 0).unwrap_err().contains("No matching entry"));
}

#[test]
fn calls_with_and_without_a_lambda() {
    let mut writer = UnitWriter::default();
    let (main, lambda) = (writer.reserve_chunk(), writer.reserve_chunk());
    let (twice, same) = (writer.name("twice"), writer.name("same"));
    let mut body = chunk(
        ChunkKind::Lambda,
        2,
        &["n"],
        vec![abx(Op::GetSlot, 0, 0), asx(Op::LoadInt, 1, 3), abc(Op::Mul, 0, 0, 1), abc(Op::Return, 0, 0, 0)],
    );
    body.params = vec![ParamSpec {
        name: "n".to_owned(),
        slot: 0,
        captures_rest: false,
        type_chunk: None,
        default_chunk: None,
        at: (1, 1),
    }];
    writer.chunk(lambda, body);
    let code = vec![
        asx(Op::LoadInt, 0, 5),
        abx(Op::Closure, 1, lambda as u16),
        abc(Op::CallBlock, 2, 0, 1),
        twice,
        abc(Op::Call, 2, 2, 1),
        same,
        abc(Op::Return, 2, 0, 0),
    ];
    writer.chunk(main, chunk(ChunkKind::Main, 3, &[], code));
    assert_eq!(run(&writer.finish()), ok("45"));
}

#[test]
fn a_resource_reaches_the_host() {
    let stub = Stub::default();
    let words = unit(4, &[], |writer| {
        let (kind, title) = (writer.constant(&string("file")), writer.constant(&string("/a")));
        let (mode, value) = (writer.name("mode"), writer.constant(&string("0644")));
        vec![
            abx(Op::LoadConst, 0, kind as u16),
            abc(Op::Attributes, 0, 0, 0),
            abx(Op::LoadConst, 1, value as u16),
            abx(Op::Attribute, 1, mode as u16),
            abx(Op::LoadConst, 2, title as u16),
            abc(Op::Body, 2, 0, 0),
            abc(Op::Resource, 3, 0, 0),
            1,
            abc(Op::Return, 3, 0, 0),
        ]
    });
    assert_eq!(run_in(&words, &stub), ok("[]"));
    assert_eq!(*stub.declared.borrow(), ["file /a mode"]);
}

#[test]
fn an_error_has_the_place_of_its_instruction() {
    let mut writer = UnitWriter::default();
    let main = writer.reserve_chunk();
    let text = writer.constant(&string("x"));
    let code = vec![
        asx(Op::LoadInt, 0, 1),
        abx(Op::LoadConst, 1, text as u16),
        abc(Op::Add, 0, 0, 1),
        abc(Op::Return, 0, 0, 0),
    ];
    let mut spec = chunk(ChunkKind::Main, 2, &[], code);
    spec.positions = vec![position(3, "'+' expression", 9)];
    writer.chunk(main, spec);
    let error = run(&writer.finish()).unwrap_err();
    assert!(
        error.starts_with("Evaluation Error: ") && error.contains("test.pp, line: 1, column: 9"),
        "{error}"
    );
}

#[test]
fn calls_do_not_nest_without_end() {
    // A lambda that calls `twice` with itself: reached through the slot of the scope around it.
    let mut writer = UnitWriter::default();
    let (main, lambda) = (writer.reserve_chunk(), writer.reserve_chunk());
    let twice = writer.name("twice");
    let parameter = ParamSpec {
        name: "n".to_owned(),
        slot: 0,
        captures_rest: false,
        type_chunk: None,
        default_chunk: None,
        at: (1, 1),
    };
    let code = |lambda: u32| {
        vec![
            asx(Op::LoadInt, 0, 5),
            abx(Op::Closure, 1, lambda as u16),
            abc(Op::CallBlock, 2, 0, 1),
            twice,
            abc(Op::Return, 2, 0, 0),
        ]
    };
    let mut body = chunk(ChunkKind::Lambda, 3, &["n"], code(lambda));
    body.params = vec![parameter];
    writer.chunk(lambda, body);
    writer.chunk(main, chunk(ChunkKind::Main, 3, &[], code(lambda)));
    let words = writer.finish();
    let run = move || run(&words).unwrap_err();
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(run).unwrap();
    let error = thread.join().unwrap();
    assert!(error.contains("stack level too deep"), "{error}");
}
