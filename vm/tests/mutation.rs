//! Whatever the words of a unit, nothing panics: they are refused, or they run.

#![allow(clippy::disallowed_macros, reason = "a test says what it saw")]

mod machine;

use bunraku_vm::isa::{Op, abc, abx, asx};
use bunraku_vm::unit::reader::Unit;
use bunraku_vm::unit::writer::{ChunkKind, Const, ParamSpec, UnitWriter};
use bunraku_vm::unit::{disassemble, verify};
use machine::{chunk, run};

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

/// A unit that uses as many instructions as fit without a compiler.
fn seed() -> Vec<u32> {
    let mut writer = UnitWriter::default();
    let (main, lambda, default) = (writer.reserve_chunk(), writer.reserve_chunk(), writer.reserve_chunk());
    let hash = writer.constant(&Const::Hash(vec![
        (Const::Str("a".to_owned()), Const::Array(vec![Const::Int(1), Const::Float(2.5), Const::Undef])),
        (Const::Regexp("(a+)b".to_owned()), Const::Default),
    ]));
    let text = writer.constant(&Const::Str("aab".to_owned()));
    let regexp = writer.constant(&Const::Regexp("(a+)b".to_owned()));
    let (twice, outer) = (writer.name("twice"), writer.name("x"));
    let (mode, integer) = (writer.name("mode"), writer.name("Integer"));
    let names = [writer.name("a"), writer.name("b")];
    let unpack = writer.list(&names);
    let query = writer.list(&[0, mode, 0, 1, mode, 0, 2, 0, 0]);
    writer.chunk(
        default,
        chunk(ChunkKind::Expression, 1, &["n"], vec![asx(Op::LoadInt, 0, 4), abc(Op::Return, 0, 0, 0)]),
    );
    let mut body = chunk(
        ChunkKind::Lambda,
        4,
        &["n"],
        vec![
            abx(Op::GetSlot, 0, 0),
            abc(Op::GetUp, 1, 1, 0),
            outer,
            abc(Op::NewArray, 0, 0, 2),
            abc(Op::Return, 0, 0, 0),
        ],
    );
    body.params = vec![ParamSpec {
        name: "n".to_owned(),
        slot: 0,
        captures_rest: false,
        type_chunk: None,
        default_chunk: Some(default),
        at: (1, 1),
    }];
    writer.chunk(lambda, body);
    let code = vec![
        abx(Op::LoadConst, 0, hash as u16),
        abx(Op::SetSlot, 0, 0),
        abx(Op::LoadConst, 1, text as u16),
        abx(Op::LoadConst, 2, regexp as u16),
        abc(Op::MarkMatches, 3, 0, 0),
        abc(Op::Match, 4, 1, 2),
        asx(Op::JumpUnless, 4, 1),
        abx(Op::GetMatch, 5, 1),
        abc(Op::Concat, 5, 4, 2),
        abc(Op::DropMatches, 3, 0, 0),
        abc(Op::Option, 6, 1, 2),
        abx(Op::TypeName, 7, integer as u16),
        abc(Op::In, 8, 1, 0),
        abc(Op::NewHash, 9, 0, 2),
        abc(Op::PutHash, 9, 4, 2),
        abc(Op::Splat, 10, 9, 0),
        abx(Op::Closure, 12, lambda as u16),
        abx(Op::LoadConst, 11, text as u16),
        abc(Op::CallBlock, 13, 11, 1),
        twice,
        abc(Op::Attributes, 0, 0, 0),
        abx(Op::Attribute, 1, mode as u16),
        abc(Op::AttributeSplat, 9, 0, 0),
        abc(Op::Body, 1, 0, 0),
        abc(Op::Resource, 14, 1, 0),
        1,
        abc(Op::Attributes, 0, 0, 0),
        abc(Op::Collect, 14, 7, 0),
        query,
        abc(Op::Unpack, 14, 0, 2),
        unpack,
        abc(Op::Relate, 14, 13, 14),
        0,
        abc(Op::Return, 14, 0, 0),
    ];
    let mut spec = chunk(ChunkKind::Main, 17, &["x", "y"], code);
    spec.positions = vec![machine::position(20, "Function Call", 3), machine::position(26, "Resource", 9)];
    writer.chunk(main, spec);
    writer.finish()
}

fn mutate(seed: &[u32], random: &mut Random) -> Vec<u32> {
    let mut words = seed.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(words.len());
        words[at] = match random.below(6) {
            0 => random.next() as u32,
            1 => words[at] ^ (1 << random.below(32)),
            2 => words[at].wrapping_add(1),
            3 => words[at].wrapping_sub(1),
            4 => words[random.below(words.len())],
            _ => u32::MAX - random.below(3) as u32,
        };
    }
    if random.below(20) == 0 {
        words.truncate(random.below(words.len()));
    }
    words
}

#[test]
fn no_words_make_the_machine_panic() {
    let check = || {
        let seed = seed();
        let unit = Unit::open(&seed).unwrap();
        for number in 0..unit.chunks() {
            verify::verify(&unit, &unit.chunk(number).unwrap()).unwrap();
        }
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let (mut refused, mut ran) = (0, 0);
        for _ in 0..20_000 {
            let words = mutate(&seed, &mut random);
            if let Ok(unit) = Unit::open(&words) {
                let _ = disassemble::unit(&unit);
                for number in 0..unit.defs().min(100) {
                    let _ = unit.def(number);
                }
            }
            match run(&words) {
                Err(error) if error.contains("Compiled code is damaged") => refused += 1,
                _ => ran += 1,
            }
        }
        (refused, ran)
    };
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(check).unwrap();
    let (refused, ran) = thread.join().expect("nothing panics");
    println!("{refused} refused, {ran} ran");
    assert!(refused > 1000 && ran > 1000, "{refused} refused, {ran} ran: the test has lost its point");
}
