//! Which version of the language a compile is made by: `--compat 7|8|9`.

use std::fmt;
use std::str::FromStr;

/// A version whose defaults and rules are in force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Compat {
    /// Puppet 7, as 7.23.0 (Debian 12) does it.
    V7,
    /// Puppet and OpenVox 8, as Puppet 8.10.0 (Debian 13) does it.
    #[default]
    V8,
    /// OpenVox 9, as its 9.0.0~rc1 (Debian's unstable) does it.
    V9,
}

impl Compat {
    /// All of them, oldest first.
    pub const ALL: [Compat; 3] = [Compat::V7, Compat::V8, Compat::V9];

    /// The version's number: 7, 8, 9.
    pub fn number(self) -> u8 {
        match self {
            Compat::V7 => 7,
            Compat::V8 => 8,
            Compat::V9 => 9,
        }
    }
}

impl fmt::Display for Compat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().fmt(f)
    }
}

impl FromStr for Compat {
    type Err = String;

    /// The version of a number.
    ///
    /// # Errors
    /// Says which there are when it is another.
    fn from_str(text: &str) -> Result<Compat, String> {
        let found = Compat::ALL.into_iter().find(|compat| compat.to_string() == text);
        found.ok_or_else(|| format!("There is no compat '{text}': it is 7, 8 or 9"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read_again() {
        for compat in Compat::ALL {
            assert_eq!(compat.to_string().parse(), Ok(compat));
        }
        assert_eq!("10".parse::<Compat>(), Err("There is no compat '10': it is 7, 8 or 9".to_owned()));
        assert_eq!(Compat::default(), Compat::V8);
    }
}
