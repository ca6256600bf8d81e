//! Every way in which a unit can be broken has its name, and none of them is run.

mod machine;

use bunraku_vm::isa::{Op, abc, abx, asx, sx};
use bunraku_vm::unit::layout::{CHUNK_WORDS, HEADER_WORDS, PARAM_WORDS, Section};
use bunraku_vm::unit::reader::{Unit, UnitFault};
use bunraku_vm::unit::writer::{ChunkKind, Const, DefSpec, ParamSpec, UnitWriter};
use bunraku_vm::unit::{DefKind, HostMatch, disassemble, verify};
use machine::{chunk, run};

/// A unit with something in every section.
pub fn sound() -> Vec<u32> {
    let mut writer = UnitWriter::default();
    let (main, lambda) = (writer.reserve_chunk(), writer.reserve_chunk());
    let array = writer.constant(&Const::Array(vec![Const::Int(1), Const::Str("a".to_owned())]));
    let call = writer.name("twice");
    let mut body =
        chunk(ChunkKind::Lambda, 2, &["n"], vec![abx(Op::GetSlot, 0, 0), abc(Op::Return, 0, 0, 0)]);
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
        abx(Op::LoadConst, 0, array as u16),
        abx(Op::SetSlot, 0, 0),
        abx(Op::Closure, 1, lambda as u16),
        asx(Op::JumpUnless, 0, 2),
        abc(Op::CallBlock, 2, 0, 1),
        call,
        abc(Op::Return, 2, 0, 0),
    ];
    let mut spec = chunk(ChunkKind::Main, 3, &["x"], code);
    spec.positions = vec![machine::position(6, "Function Call", 3)];
    writer.chunk(main, spec);
    writer.definition(&DefSpec {
        kind: DefKind::Node,
        name: "web".to_owned(),
        chunk: main,
        parent: None,
        matches: vec![HostMatch::Name(""), HostMatch::Default],
        match_texts: vec!["web".to_owned()],
        at: (1, 1),
    });
    writer.finish()
}

/// Where a section begins.
fn start(words: &[u32], section: Section) -> usize {
    words[HEADER_WORDS + 2 * section as usize] as usize
}

/// Everything a unit says of itself, until the first fault.
fn examine(words: &[u32]) -> Result<(), UnitFault> {
    let unit = Unit::open(words)?;
    for number in 0..unit.chunks() {
        let chunk = unit.chunk(number)?;
        verify::verify(&unit, &chunk)?;
        disassemble::chunk(&unit, number)?;
    }
    for number in 0..unit.defs() {
        unit.def(number)?;
    }
    Ok(())
}

/// The fault of the sound unit after a change.
fn fault(change: impl FnOnce(&mut Vec<u32>)) -> UnitFault {
    let mut words = sound();
    change(&mut words);
    let fault = examine(&words).expect_err("the change breaks the unit");
    assert!(!fault.to_string().is_empty());
    // What the machine says of it is an error, too, unless the fault lies where it never looks.
    if !matches!(fault, UnitFault::DefRecord(_)) && !matches!(fault, UnitFault::StringNumber(_)) {
        let error = run(&words).expect_err("a broken unit does not run");
        assert!(error.contains("Compiled code is damaged"), "{error}");
    }
    fault
}

/// The fault after the main chunk's code is replaced.
fn code(code: Vec<u32>) -> UnitFault {
    let mut writer = UnitWriter::default();
    let main = writer.reserve_chunk();
    writer.chunk(main, chunk(ChunkKind::Main, 2, &["x"], code));
    let words = writer.finish();
    assert!(run(&words).unwrap_err().contains("Compiled code is damaged"));
    examine(&words).unwrap_err()
}

#[test]
fn the_sound_unit_is_sound() {
    assert_eq!(examine(&sound()), Ok(()));
    assert_eq!(run(&sound()), Ok("[1, 'a']".to_owned()));
}

#[test]
fn headers() {
    assert_eq!(examine(&[]).unwrap_err(), UnitFault::NotAUnit);
    assert_eq!(fault(|words| words[0] ^= 1), UnitFault::NotAUnit);
    assert_eq!(fault(|words| words[1] = 999), UnitFault::Version(999));
    assert_eq!(fault(|words| words[2] += 1), UnitFault::Truncated);
    assert_eq!(fault(|words| words.truncate(words.len() - 1)), UnitFault::Truncated);
    for section in Section::ALL {
        let at = HEADER_WORDS + 2 * section as usize;
        assert_eq!(fault(|words| words[at] = u32::MAX), UnitFault::Section(section));
        assert_eq!(fault(|words| words[at + 1] = u32::MAX), UnitFault::Section(section));
    }
}

#[test]
fn strings_and_names() {
    let text = fault(|words| {
        // The name of the main chunk's slot.
        let name =
            words[start(words, Section::Lists) + 1 + words[start(words, Section::Chunks) + 3] as usize];
        let string = words[start(words, Section::Names) + name as usize];
        let at = start(words, Section::Strings) + 2 * string as usize;
        words[at] = u32::MAX;
    });
    assert_eq!(text, UnitFault::Text);
    let name = fault(|words| {
        let at = start(words, Section::Names);
        // The shape of the main chunk is the name of its slot.
        (at..start(words, Section::Consts)).for_each(|at| words[at] = 4000);
    });
    assert_eq!(name, UnitFault::StringNumber(4000));
    let shape = fault(|words| {
        let chunks = start(words, Section::Chunks);
        let list = start(words, Section::Lists) + words[chunks + 3] as usize;
        words[list + 1] = 77;
    });
    assert_eq!(shape, UnitFault::NameNumber(77));
}

#[test]
fn chunks_lists_parameters() {
    assert_eq!(Unit::open(&sound()).unwrap().chunk(9).unwrap_err(), UnitFault::ChunkNumber(9));
    assert_eq!(Unit::open(&sound()).unwrap().constant(99), Err(UnitFault::ConstNumber(99)));
    let record = |field: usize, value: u32| {
        move |words: &mut Vec<u32>| {
            let at = start(words, Section::Chunks);
            words[at + field] = value;
        }
    };
    assert_eq!(fault(record(0, u32::MAX)), UnitFault::ChunkRecord(0));
    assert_eq!(fault(record(1, 0)), UnitFault::ChunkRecord(0));
    assert_eq!(fault(record(2, 257)), UnitFault::ChunkRecord(0));
    assert_eq!(fault(record(3, 5000)), UnitFault::ListNumber(5000));
    assert_eq!(fault(record(8, 100)), UnitFault::ChunkRecord(0));
    assert_eq!(fault(record(9, 99)), UnitFault::ChunkRecord(0));
    let slot = {
        let mut words = sound();
        let at = start(&words, Section::Params);
        assert_eq!(words.len().min(at + PARAM_WORDS), at + PARAM_WORDS);
        words[at + 1] = 8;
        examine(&words).unwrap_err()
    };
    assert_eq!(slot, UnitFault::ParamRecord(0));
    assert_eq!(CHUNK_WORDS, 10);
}

#[test]
fn definitions() {
    let kind = fault(|words| {
        let at = start(words, Section::Defs);
        words[at] = 9;
    });
    assert_eq!(kind, UnitFault::DefRecord(0));
}

#[test]
fn instructions() {
    let end = abc(Op::Return, 0, 0, 0);
    assert_eq!(code(vec![0xff, end]), UnitFault::Instruction(0, 0));
    // The word behind the instruction is missing.
    assert_eq!(code(vec![abc(Op::Call, 0, 0, 0)]), UnitFault::Instruction(0, 0));
    assert_eq!(code(vec![abc(Op::Move, 0, 2, 0), end]), UnitFault::Operand(0, 0));
    assert_eq!(code(vec![abx(Op::GetSlot, 0, 1), end]), UnitFault::Operand(0, 0));
    assert_eq!(code(vec![abx(Op::LoadConst, 0, 0), end]), UnitFault::Operand(0, 0));
    assert_eq!(code(vec![abx(Op::Closure, 0, 7), end]), UnitFault::Operand(0, 0));
    assert_eq!(code(vec![abc(Op::NewArray, 0, 1, 2), end]), UnitFault::Operand(0, 0));
    assert_eq!(code(vec![abc(Op::NewHash, 0, 0, 2), end]), UnitFault::Operand(0, 0));
    assert_eq!(code(vec![abc(Op::Collect, 0, 0, 0), 3, end]), UnitFault::Operand(0, 0));
    assert_eq!(code(vec![sx(Op::Jump, 9), end]), UnitFault::JumpTarget(0, 0));
    assert_eq!(code(vec![sx(Op::Jump, -2), end]), UnitFault::JumpTarget(0, 0));
    assert_eq!(code(vec![asx(Op::LoadInt, 0, 1)]), UnitFault::FallsOff(0));
}

#[test]
fn a_jump_into_an_instruction() {
    let mut writer = UnitWriter::default();
    let main = writer.reserve_chunk();
    let name = writer.name("same");
    // The jump goes to the word behind `Call`.
    let code = vec![sx(Op::Jump, 1), abc(Op::Call, 0, 0, 1), name, abc(Op::Return, 0, 0, 0)];
    writer.chunk(main, chunk(ChunkKind::Main, 1, &[], code));
    assert_eq!(examine(&writer.finish()).unwrap_err(), UnitFault::JumpTarget(0, 0));
}
