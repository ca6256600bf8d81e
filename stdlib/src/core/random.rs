//! Ruby's `Random`: the Mersenne Twister (MT19937), seeded with an integer of any size.

const N: usize = 624;
const M: usize = 397;

/// A generator.
pub struct Random {
    state: [u32; N],
    /// The word that is drawn next.
    at: usize,
}

impl Random {
    /// Seeds with a big-endian integer, as `Random.new(integer)`.
    pub fn new(seed: &[u8]) -> Random {
        let mut key: Vec<u32> = seed
            .rchunks(4)
            .map(|chunk| chunk.iter().fold(0, |word, byte| word << 8 | u32::from(*byte)))
            .collect();
        while key.len() > 1 && key.last() == Some(&0) {
            key.pop();
        }
        // Ruby takes a highest word of one for a guard, and seeds differently with a single word.
        if key.len() > 1 && key.last() == Some(&1) {
            key.pop();
        }
        match key[..] {
            [] => Random::by_number(0),
            [only] => Random::by_number(only),
            _ => Random::by_array(&key),
        }
    }

    const fn by_number(seed: u32) -> Random {
        let mut state = [0u32; N];
        state[0] = seed;
        let mut n = 1;
        while n < N {
            let last = state[n - 1];
            state[n] = 1_812_433_253u32.wrapping_mul(last ^ (last >> 30)).wrapping_add(n as u32);
            n += 1;
        }
        Random { state, at: 0 }
    }

    fn by_array(key: &[u32]) -> Random {
        const START: Random = Random::by_number(19_650_218);
        let mut random = START;
        let state = &mut random.state;
        let (mut i, mut j, mut last) = (1, 0, state[0]);
        for _ in 0..N.max(key.len()) {
            last = (state[i] ^ (last ^ (last >> 30)).wrapping_mul(1_664_525))
                .wrapping_add(key[j])
                .wrapping_add(j as u32);
            state[i] = last;
            i += 1;
            j += 1;
            if i >= N {
                state[0] = last;
                i = 1;
            }
            if j >= key.len() {
                j = 0;
            }
        }
        for _ in 0..N - 1 {
            last = (state[i] ^ (last ^ (last >> 30)).wrapping_mul(1_566_083_941)).wrapping_sub(i as u32);
            state[i] = last;
            i += 1;
            if i >= N {
                state[0] = last;
                i = 1;
            }
        }
        state[0] = 0x8000_0000;
        random
    }

    /// The next word.
    pub fn word(&mut self) -> u32 {
        // Each word is made when it is drawn: mostly one or two are.
        let n = self.at;
        let after = if n + 1 < N { n + 1 } else { 0 };
        let mixed = (self.state[n] & 0x8000_0000) | (self.state[after] & 0x7fff_ffff);
        let mut word = self.state[if n + M < N { n + M } else { n + M - N }] ^ (mixed >> 1);
        if mixed & 1 == 1 {
            word ^= 0x9908_b0df;
        }
        self.state[n] = word;
        self.at = after;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    /// A number from 0 to below 1 of 53 bits, as `rand` without a limit.
    pub fn fraction(&mut self) -> f64 {
        let high = f64::from(self.word() >> 5);
        let low = f64::from(self.word() >> 6);
        (high * 67_108_864.0 + low) / 9_007_199_254_740_992.0
    }

    /// A number from 0 to 1, that one included, as `rand(0.0..1.0)`.
    pub fn closed_fraction(&mut self) -> f64 {
        let words = u128::from(self.word()) << 32;
        let words = words | u128::from(self.word());
        ((words * ((1 << 53) | 1)) >> 64) as f64 / 9_007_199_254_740_992.0
    }

    /// Fills bytes, as `bytes(count)`: words with their lowest byte first.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(4) {
            let word = self.word().to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
    }

    /// A number from 0 to `most`, that one included, as `rand` with a limit of more than 64 bits: both in words, the lowest
    /// first.
    pub fn up_to(&mut self, most: &[u32]) -> Vec<u32> {
        'retry: loop {
            let mut drawn = vec![0; most.len()];
            // Words below the first that is not zero are drawn in full; a draw above the limit is thrown away.
            let (mut mask, mut at_limit) = (0, true);
            for (drawn, most) in drawn.iter_mut().zip(most).rev() {
                mask = match mask {
                    0 => u32::MAX.checked_shr(most.leading_zeros()).unwrap_or(0),
                    _ => u32::MAX,
                };
                if mask != 0 {
                    *drawn = self.word() & mask;
                    if at_limit && *drawn > *most {
                        continue 'retry;
                    }
                    at_limit &= *drawn == *most;
                }
            }
            return drawn;
        }
    }

    /// A number from 0 to below `limit`, as `rand(limit)`.
    pub fn below(&mut self, limit: u64) -> u64 {
        let limit = limit - 1;
        if limit == 0 {
            return 0;
        }
        let mask = u64::MAX >> limit.leading_zeros();
        // Bits are drawn word by word, the high word first; a draw above the limit is thrown away.
        'retry: loop {
            let mut value = 0u64;
            for word in [1u32, 0] {
                if (mask >> (word * 32)) & 0xffff_ffff != 0 {
                    value |= u64::from(self.word()) << (word * 32);
                    value &= mask;
                    if limit < value {
                        continue 'retry;
                    }
                }
            }
            return value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn draws_what_ruby_draws() {
        // ruby -e 'p Random.new(0x0123456789abcdef0123456789abcdef).rand(100)' and so on
        let seed: Vec<u8> = [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef].repeat(2);
        let draws: Vec<u64> = {
            let mut random = Random::new(&seed);
            (0..5).map(|_| random.below(100)).collect()
        };
        assert_eq!(draws, EXPECTED);
        assert_eq!(Random::new(&[42]).below(1 << 40), EXPECTED_LARGE);
        assert_eq!(Random::new(&[42]).fraction().to_string(), EXPECTED_FRACTION);
    }

    #[test]
    fn draws_bytes_fractions_and_large_numbers_as_ruby() {
        // ruby -e 'p Random.new(3).bytes(5).bytes, Random.new(12345).rand(0.0..1.0), Random.new(1).rand(2**70)'
        let mut bytes = [0; 5];
        Random::new(&[3]).fill(&mut bytes);
        assert_eq!(bytes, [106, 23, 1, 141, 152]);
        assert_eq!(Random::new(&[0x30, 0x39]).closed_fraction().to_string(), "0.9296160868578951");
        // 2**70 - 1
        let drawn = Random::new(&[1]).up_to(&[u32::MAX, u32::MAX, 63]);
        let number = drawn.iter().rev().fold(0u128, |number, word| number << 32 | u128::from(*word));
        assert_eq!(number.to_string(), "700924343680170930060");
    }

    const EXPECTED: [u64; 5] = [4, 44, 20, 90, 0];
    const EXPECTED_LARGE: u64 = 441507790259;
    const EXPECTED_FRACTION: &str = "0.3745401188473625";
}
