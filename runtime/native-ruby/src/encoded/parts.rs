//! What forms are made of: bytes to be read, numbers, texts, lists.

/// Bytes that are still to be read, and how many there are of what they may refer to.
pub(crate) struct Rest<'b> {
    pub bytes: &'b [u8],
    pub depth: u32,
    pub slots: u64,
    pub variables: u64,
    pub methods: u64,
    pub reasons: u64,
}

impl Rest<'_> {
    pub fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub fn below(&mut self, limit: u64) -> Option<u64> {
        self.number().filter(|number| *number < limit)
    }
}

pub(crate) fn number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// What can be encoded.
pub(crate) trait Coded: Sized {
    fn put(&self, out: &mut Vec<u8>);
    fn take(rest: &mut Rest<'_>) -> Option<Self>;
}

/// An index that must be below a limit; or none.
pub(crate) trait CodedIndex: Sized {
    fn put_index(&self, out: &mut Vec<u8>);
    fn take_index(rest: &mut Rest<'_>, limit: u64) -> Option<Self>;
}

impl CodedIndex for u32 {
    fn put_index(&self, out: &mut Vec<u8>) {
        number(u64::from(*self), out);
    }

    fn take_index(rest: &mut Rest<'_>, limit: u64) -> Option<u32> {
        rest.below(limit).and_then(|number| u32::try_from(number).ok())
    }
}

impl CodedIndex for Option<u32> {
    fn put_index(&self, out: &mut Vec<u8>) {
        number(self.map_or(0, |number| u64::from(number) + 1), out);
    }

    fn take_index(rest: &mut Rest<'_>, limit: u64) -> Option<Option<u32>> {
        match rest.below(limit.checked_add(1)?)?.checked_sub(1) {
            None => Some(None),
            Some(number) => u32::try_from(number).ok().map(Some),
        }
    }
}

impl Coded for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn take(rest: &mut Rest<'_>) -> Option<bool> {
        rest.below(2).map(|number| number == 1)
    }
}

impl Coded for usize {
    fn put(&self, out: &mut Vec<u8>) {
        number(*self as u64, out);
    }

    fn take(rest: &mut Rest<'_>) -> Option<usize> {
        usize::try_from(rest.number()?).ok()
    }
}

impl Coded for i64 {
    fn put(&self, out: &mut Vec<u8>) {
        // The sign is the last bit, so that numbers near zero are short.
        number((*self << 1 ^ *self >> 63) as u64, out);
    }

    fn take(rest: &mut Rest<'_>) -> Option<i64> {
        let number = rest.number()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }
}

impl Coded for f64 {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend(self.to_bits().to_le_bytes());
    }

    fn take(rest: &mut Rest<'_>) -> Option<f64> {
        let (eight, tail) = rest.bytes.split_first_chunk::<8>()?;
        rest.bytes = tail;
        Some(f64::from_bits(u64::from_le_bytes(*eight)))
    }
}

impl Coded for Box<str> {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn take(rest: &mut Rest<'_>) -> Option<Box<str>> {
        let length = usize::take(rest)?;
        let (text, tail) = rest.bytes.split_at_checked(length)?;
        rest.bytes = tail;
        std::str::from_utf8(text).ok().map(Box::from)
    }
}

impl Coded for String {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn take(rest: &mut Rest<'_>) -> Option<String> {
        <Box<str>>::take(rest).map(String::from)
    }
}

impl<T: Coded> Coded for Box<T> {
    fn put(&self, out: &mut Vec<u8>) {
        (**self).put(out);
    }

    fn take(rest: &mut Rest<'_>) -> Option<Box<T>> {
        T::take(rest).map(Box::new)
    }
}

/// Most items that memory is reserved for before they have been read.
const AT_ONCE: usize = 32;

fn items<T: Coded>(rest: &mut Rest<'_>) -> Option<Vec<T>> {
    let count = usize::take(rest)?;
    let mut items = Vec::with_capacity(count.min(AT_ONCE));
    for _ in 0..count {
        items.push(T::take(rest)?);
    }
    Some(items)
}

impl<T: Coded> Coded for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        self.iter().for_each(|item| item.put(out));
    }

    fn take(rest: &mut Rest<'_>) -> Option<Vec<T>> {
        items(rest)
    }
}

impl<T: Coded> Coded for Box<[T]> {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        self.iter().for_each(|item| item.put(out));
    }

    fn take(rest: &mut Rest<'_>) -> Option<Box<[T]>> {
        items(rest).map(Vec::into_boxed_slice)
    }
}

impl<T: Coded> Coded for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }

    fn take(rest: &mut Rest<'_>) -> Option<Option<T>> {
        if bool::take(rest)? { T::take(rest).map(Some) } else { Some(None) }
    }
}

impl<A: Coded, B: Coded> Coded for (A, B) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }

    fn take(rest: &mut Rest<'_>) -> Option<(A, B)> {
        Some((A::take(rest)?, B::take(rest)?))
    }
}

impl<A: Coded, B: Coded, C: Coded> Coded for (A, B, C) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
        self.2.put(out);
    }

    fn take(rest: &mut Rest<'_>) -> Option<(A, B, C)> {
        Some((A::take(rest)?, B::take(rest)?, C::take(rest)?))
    }
}
