//! The form of what an LDAP server sends (BER, RFC 4511): where a message ends, and whether it is one that may follow
//! its request. The crate that reads messages after that takes this for granted and would panic on anything else.

/// Why bytes are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// Tags of elements and operations; constructed ones have the bit 0x20.
mod tag {
    pub const CONTROLS: u8 = 0xa0;
    pub const INTEGER: u8 = 0x02;
    pub const OCTETS: u8 = 0x04;
    pub const ENUMERATED: u8 = 0x0a;
    pub const SEQUENCE: u8 = 0x30;
    pub const SET: u8 = 0x31;
    pub const REFERRAL: u8 = 0xa3;
    pub const SASL_CREDENTIALS: u8 = 0x87;
    pub const RESPONSE_NAME: u8 = 0x8a;
    pub const RESPONSE_VALUE: u8 = 0x8b;
    pub const BIND: u8 = 0x60;
    pub const BIND_DONE: u8 = 0x61;
    pub const UNBIND: u8 = 0x42;
    pub const SEARCH: u8 = 0x63;
    pub const ENTRY: u8 = 0x64;
    pub const SEARCH_DONE: u8 = 0x65;
    pub const REFERENCE: u8 = 0x73;
    pub const EXTENDED: u8 = 0x77;
    pub const EXTENDED_DONE: u8 = 0x78;
}

/// A request's number and operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    id: u64,
    operation: u8,
}

impl Request {
    /// Of a message of our own.
    pub fn of(message: &[u8]) -> Result<Request, Malformed> {
        let (id, operation, _) = envelope(message)?;
        Ok(Request { id: number(id.content)?, operation: operation.tag })
    }

    /// Whether the server says nothing to it.
    pub fn ends_connection(self) -> bool {
        self.operation == tag::UNBIND
    }
}

/// What a message from the server is to the request before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is more to come. The message, written anew.
    Part(Vec<u8>),
    /// The last. The message, written anew, and its result code.
    Last(Vec<u8>, u64),
    /// The server is about to close the connection, for this reason.
    Leaves(String),
}

/// Bytes of the message at the begin of some, if its length can be told yet.
///
/// # Errors
/// When they are no begin of a message.
pub fn length(begin: &[u8]) -> Result<Option<usize>, Malformed> {
    if begin.first().is_some_and(|first| *first != tag::SEQUENCE) {
        return Err(Malformed);
    }
    let Some(first) = begin.get(1) else { return Ok(None) };
    let more = length_bytes(*first)?;
    let Some(rest) = begin.get(2..2 + more) else { return Ok(None) };
    Ok(Some(2 + more + content_length(*first, rest)))
}

/// Reads what the server has sent after a request. Controls, which nobody has asked for, are left out.
///
/// # Errors
/// When it is no answer to that request.
pub fn answer(message: &[u8], to: Request) -> Result<Answer, Malformed> {
    let (id, operation, controls) = envelope(message)?;
    if controls.is_some_and(|controls| controls.tag != tag::CONTROLS) {
        return Err(Malformed);
    }
    let anew = || {
        let content = [id.whole, operation.whole].concat();
        let mut anew = vec![tag::SEQUENCE, 0x84];
        anew.extend(u32::try_from(content.len()).map_err(|_| Malformed)?.to_be_bytes());
        anew.extend(content);
        Ok(anew)
    };
    let last = |operation: Element| Ok(Answer::Last(anew()?, result(operation.content)?.0));
    match (number(id.content)?, to.operation, operation.tag) {
        // The one message that answers nothing: a notice of disconnection.
        (0, _, tag::EXTENDED_DONE) => Ok(Answer::Leaves(result(operation.content)?.1.to_owned())),
        (id, ..) if id != to.id => Err(Malformed),
        (_, tag::BIND, tag::BIND_DONE)
        | (_, tag::SEARCH, tag::SEARCH_DONE)
        | (_, tag::EXTENDED, tag::EXTENDED_DONE) => last(operation),
        (_, tag::SEARCH, tag::ENTRY) => entry(operation.content).and_then(|()| anew().map(Answer::Part)),
        (_, tag::SEARCH, tag::REFERENCE) => {
            addresses(operation.content).and_then(|()| anew().map(Answer::Part))
        }
        _ => Err(Malformed),
    }
}

/// A tag with its content.
#[derive(Clone, Copy)]
struct Element<'b> {
    tag: u8,
    content: &'b [u8],
    whole: &'b [u8],
}

/// Takes the element at the begin of some bytes; of length and tag as LDAP writes them.
fn take<'b>(bytes: &mut &'b [u8]) -> Result<Element<'b>, Malformed> {
    let [tag, first, rest @ ..] = *bytes else { return Err(Malformed) };
    let more = length_bytes(*first)?;
    let begin = 2 + more;
    let end = begin + content_length(*first, rest.get(..more).ok_or(Malformed)?);
    let whole = bytes.get(..end).ok_or(Malformed)?;
    *bytes = &bytes[end..];
    Ok(Element { tag: *tag, content: &whole[begin..], whole })
}

/// The next element, which must have a tag.
fn take_tagged<'b>(bytes: &mut &'b [u8], tag: u8) -> Result<&'b [u8], Malformed> {
    let element = take(bytes)?;
    if element.tag == tag { Ok(element.content) } else { Err(Malformed) }
}

/// How many bytes of a length follow its first.
fn length_bytes(first: u8) -> Result<usize, Malformed> {
    match first {
        ..=0x7f => Ok(0),
        0x81..=0x84 => Ok(usize::from(first - 0x80)),
        // Without an end, or of more bytes than there is memory.
        _ => Err(Malformed),
    }
}

fn content_length(first: u8, more: &[u8]) -> usize {
    match more {
        [] => usize::from(first),
        more => more.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)),
    }
}

/// Number, operation and controls of a message.
fn envelope(message: &[u8]) -> Result<(Element<'_>, Element<'_>, Option<Element<'_>>), Malformed> {
    let mut rest = message;
    let mut content = take_tagged(&mut rest, tag::SEQUENCE)?;
    let id = take(&mut content)?;
    let operation = take(&mut content)?;
    let controls = if content.is_empty() { None } else { Some(take(&mut content)?) };
    match id.tag == tag::INTEGER && content.is_empty() && rest.is_empty() {
        true => Ok((id, operation, controls)),
        false => Err(Malformed),
    }
}

fn number(bytes: &[u8]) -> Result<u64, Malformed> {
    match bytes {
        [0..0x80, ..] if bytes.len() <= 4 => {
            Ok(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
        }
        _ => Err(Malformed),
    }
}

fn text(bytes: &[u8]) -> Result<&str, Malformed> {
    std::str::from_utf8(bytes).map_err(|_| Malformed)
}

/// Code and text of a result.
fn result(mut content: &[u8]) -> Result<(u64, &str), Malformed> {
    let code = number(take_tagged(&mut content, tag::ENUMERATED)?)?;
    text(take_tagged(&mut content, tag::OCTETS)?)?;
    let said = text(take_tagged(&mut content, tag::OCTETS)?)?;
    while !content.is_empty() {
        let element = take(&mut content)?;
        match element.tag {
            tag::REFERRAL => addresses(element.content)?,
            tag::RESPONSE_NAME => _ = text(element.content)?,
            tag::SASL_CREDENTIALS | tag::RESPONSE_VALUE => {}
            _ => return Err(Malformed),
        }
    }
    Ok((code, said))
}

/// A list of URLs.
fn addresses(mut content: &[u8]) -> Result<(), Malformed> {
    while !content.is_empty() {
        text(take_tagged(&mut content, tag::OCTETS)?)?;
    }
    Ok(())
}

/// A name, and attributes with their values.
fn entry(mut content: &[u8]) -> Result<(), Malformed> {
    text(take_tagged(&mut content, tag::OCTETS)?)?;
    let mut attributes = take_tagged(&mut content, tag::SEQUENCE)?;
    while !attributes.is_empty() {
        let mut attribute = take_tagged(&mut attributes, tag::SEQUENCE)?;
        text(take_tagged(&mut attribute, tag::OCTETS)?)?;
        let mut values = take_tagged(&mut attribute, tag::SET)?;
        while !values.is_empty() {
            take_tagged(&mut values, tag::OCTETS)?;
        }
        if !attribute.is_empty() {
            return Err(Malformed);
        }
    }
    if content.is_empty() { Ok(()) } else { Err(Malformed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BIND: Request = Request { id: 1, operation: tag::BIND };
    const SEARCH: Request = Request { id: 1, operation: tag::SEARCH };
    const BOUND: &[u8] = &[0x30, 12, 2, 1, 1, 0x61, 7, 10, 1, 0, 4, 0, 4, 0];
    const ENTRY: &[u8] =
        &[0x30, 21, 2, 1, 1, 0x64, 16, 4, 1, b'd', 0x30, 11, 0x30, 9, 4, 1, b'a', 0x31, 4, 4, 2, 0xff, 0];

    #[test]
    fn answers_are_told_by_their_requests() {
        assert!(matches!(answer(BOUND, BIND), Ok(Answer::Last(_, 0))));
        assert_eq!(answer(BOUND, SEARCH), Err(Malformed));
        assert_eq!(answer(BOUND, Request { id: 2, ..BIND }), Err(Malformed));
        assert!(matches!(answer(ENTRY, SEARCH), Ok(Answer::Part(_))));
        assert_eq!(answer(ENTRY, BIND), Err(Malformed));
        let leaves = [&[0x30, 14, 2, 1, 0, 0x78, 9, 10, 1, 52, 4, 0, 4, 2][..], b"ok"].concat();
        assert_eq!(answer(&leaves, SEARCH), Ok(Answer::Leaves("ok".to_owned())));
    }

    #[test]
    fn controls_go() {
        let mut with = [BOUND, &[0xa0, 3, 0x30, 1, 7]].concat();
        with[1] += 5;
        assert_eq!(answer(&with, BIND), answer(BOUND, BIND));
    }

    #[test]
    fn the_end_of_a_message_is_told_by_its_begin() {
        assert_eq!(length(&[]), Ok(None));
        assert_eq!(length(BOUND), Ok(Some(BOUND.len())));
        assert_eq!(length(&[0x30, 0x82, 1]), Ok(None));
        assert_eq!(length(&[0x30, 0x82, 1, 2]), Ok(Some(262)));
        assert_eq!(length(b"HTTP/1.1 400"), Err(Malformed));
        assert_eq!(length(&[0x30, 0x80]), Err(Malformed));
        assert_eq!(length(&[0x30, 0x85, 1, 1, 1, 1, 1]), Err(Malformed));
    }

    #[test]
    fn no_part_of_a_message_and_no_broken_one_panics() {
        for message in [BOUND, ENTRY] {
            for end in 0..message.len() {
                assert_eq!(answer(&message[..end], SEARCH), Err(Malformed));
            }
            for place in 0..message.len() {
                for byte in 0..=255 {
                    let mut broken = message.to_vec();
                    broken[place] = byte;
                    let _ = (answer(&broken, BIND), answer(&broken, SEARCH), length(&broken));
                }
            }
        }
    }
}
