//! Ruby broken at random, and lowered Ruby broken at random: both are refused, or they are some program; nothing panics,
//! and what is lowered comes out of its form in archives as it went in.

use bunraku_native_ruby::Lowered;

/// Something of every construct that files of functions have.
const FILE: &str = include_str!("mutation/function.rb");
const TEMPLATE: &str = include_str!("mutation/template.erb");

/// Numbers that look random, the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }
}

/// A text with some pieces taken out, doubled, or put elsewhere.
fn broken(text: &str, numbers: &mut Numbers) -> String {
    let mut pieces: Vec<String> =
        text.split_inclusive([' ', '\n', '(', ')', '|', '.', ',']).map(str::to_owned).collect();
    for _ in 0..=numbers.below(4) {
        let at = numbers.below(pieces.len());
        match numbers.below(4) {
            0 => drop(pieces.remove(at)),
            1 => {
                let piece = pieces[at].clone();
                pieces.insert(at, piece);
            }
            2 => {
                let other = numbers.below(pieces.len());
                pieces.swap(at, other);
            }
            _ => {
                let signs = [
                    "end\n", "{", "}", "<<~X\n", "#{", "'", "\"", "%w[", "?", "::", "&.", "do |", "def ", "@",
                ];
                pieces.insert(at, signs[numbers.below(signs.len())].to_owned());
            }
        }
    }
    pieces.concat()
}

fn comes_out_again(lowered: &Lowered) {
    let Some(bytes) = lowered.encode() else { return };
    let back = Lowered::decode(&bytes).expect("what was encoded is decoded");
    assert_eq!(back.encode(), Some(bytes));
    assert_eq!(back.reasons(), lowered.reasons());
}

#[test]
fn nothing_in_the_samples_is_unknown() {
    assert_eq!(Lowered::of_ruby(FILE.as_bytes()).reasons(), []);
    assert_eq!(Lowered::new(TEMPLATE.as_bytes()).reasons(), []);
}

#[test]
fn broken_ruby_is_lowered_or_refused() {
    let mut numbers = Numbers(1);
    let mut refused = 0;
    for _ in 0..1500 {
        let file = Lowered::of_ruby(broken(FILE, &mut numbers).as_bytes());
        refused += usize::from(!file.reasons().is_empty());
        comes_out_again(&file);
        comes_out_again(&Lowered::new(broken(TEMPLATE, &mut numbers).as_bytes()));
    }
    assert!(refused > 500, "only {refused} of the broken files have anything unknown");
}

#[test]
fn broken_forms_are_refused_or_are_some_program() {
    let mut numbers = Numbers(2);
    let good = Lowered::of_ruby(FILE.as_bytes()).encode().expect("it is within bounds");
    let mut refused = 0;
    for _ in 0..20_000 {
        let mut bad = good.clone();
        let at = numbers.below(bad.len());
        bad[at] ^= 1 << numbers.below(8);
        refused += usize::from(Lowered::decode(&bad).is_none());
    }
    assert!(refused > 5_000, "only {refused} refused");
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let mut bytes = FILE.as_bytes().to_vec();
    bytes[20] = 0xff;
    assert_eq!(Lowered::of_ruby(&bytes).reasons().len(), 1);
}
