//! A small seeded generator of random numbers (SplitMix64): the same seed gives the same cases everywhere.

/// The state of the generator.
pub struct Rng(u64);

impl Rng {
    /// A generator that starts at a seed.
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number less than `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// One of the items.
    pub fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len())]
    }

    /// True in so many of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Between `least` and `most` texts, comma between them.
    pub fn list(&mut self, least: usize, most: usize, mut one: impl FnMut(&mut Rng) -> String) -> String {
        let count = least + self.below(most - least + 1);
        (0..count).map(|_| one(self)).collect::<Vec<_>>().join(", ")
    }
}
