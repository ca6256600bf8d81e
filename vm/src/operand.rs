//! What a number in an instruction means where it is no register, name or the like: which relationship, which form of
//! resource, which step of a collector's query. The lowering writes these numbers, the verifier refuses any other, the
//! machine, the disassembler and the reference page read them: all by the types here.

/// An enumeration that instructions hold as a number, with the text the disassembler prints for each.
macro_rules! operand {
    ($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $variant:ident = $word:literal $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum $name { $($(#[$about])* $variant = $word),* }

        impl $name {
            /// All of them, by number.
            pub const ALL: &[$name] = &[$($name::$variant),*];

            /// What a number in an instruction stands for; none where no instruction has that number.
            pub const fn from_word(word: u32) -> Option<$name> {
                match word { $($word => Some($name::$variant),)* _ => None }
            }

            /// The number that instructions have for it.
            pub const fn word(self) -> u32 {
                self as u32
            }

            /// What the disassembler prints.
            pub const fn text(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }
        }
    };
}

operand! {
    /// How a resource expression marks its resources.
    ResourceForm {
        /// Managed on this node.
        Regular = 0 "regular",
        /// `@`
        Virtual = 1 "virtual",
        /// `@@`
        Exported = 2 "exported",
    }
}

operand! {
    /// Which resources a collector takes.
    CollectorKind {
        /// Those of this catalog: `<| |>`.
        Virtual = 0 "virtual",
        /// Exported ones, from the store too: `<<| |>>`.
        Exported = 1 "exported",
    }
}

operand! {
    /// The four arrows.
    Relation {
        /// `->`
        Before = 0 "->",
        /// `~>`
        Notify = 1 "~>",
        /// `<-`
        After = 2 "<-",
        /// `<~`
        Subscribe = 3 "<~",
    }
}

operand! {
    /// A step of a collector's query. The query stands in a list in postfix, three words a step: this, a name, and a
    /// register counted from behind that of the collected type.
    QueryStep {
        /// `name == register`
        Eq = 0 "==",
        /// `name != register`
        NotEq = 1 "!=",
        /// Both of the two before; name and register mean nothing.
        And = 2 "and",
        /// Either of the two before; likewise.
        Or = 3 "or",
        /// The value in the register alone, where a comparison should stand.
        Lone = 4 "lone",
    }
}

/// What `Resource` says of the expression it is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceOperand {
    /// Regular, virtual or exported.
    pub form: ResourceForm,
    /// Whether the type is given by an expression that can't name one.
    pub unnamed: bool,
    /// Whether nobody uses the references.
    pub unused: bool,
}

impl ResourceOperand {
    const UNNAMED: u32 = 4;
    const UNUSED: u32 = 8;

    /// What a number in an instruction stands for; none where no instruction has that number.
    pub fn from_word(word: u32) -> Option<ResourceOperand> {
        let form = ResourceForm::from_word(word & !(Self::UNNAMED | Self::UNUSED))?;
        Some(ResourceOperand { form, unnamed: word & Self::UNNAMED != 0, unused: word & Self::UNUSED != 0 })
    }

    /// The number that instructions have for it.
    pub fn word(self) -> u32 {
        let flag = |set, bit| if set { bit } else { 0 };
        self.form.word() | flag(self.unnamed, Self::UNNAMED) | flag(self.unused, Self::UNUSED)
    }

    /// What the disassembler prints.
    pub fn text(self) -> String {
        let flag = |set, text| if set { text } else { "" };
        let (unnamed, unused) = (flag(self.unnamed, " unnamed"), flag(self.unused, " unused"));
        format!("{}{unnamed}{unused}", self.form.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_meanings_are_each_others() {
        for word in 0..300 {
            assert!(Relation::from_word(word).is_none_or(|it| it.word() == word));
            assert!(QueryStep::from_word(word).is_none_or(|it| it.word() == word));
            assert!(ResourceOperand::from_word(word).is_none_or(|it| it.word() == word));
        }
        assert_eq!(ResourceOperand::from_word(3), None);
        assert_eq!(ResourceOperand::from_word(16), None);
        let all = ResourceOperand { form: ResourceForm::Exported, unnamed: true, unused: true };
        assert_eq!((all.word(), all.text().as_str()), (14, "exported unnamed unused"));
    }
}
