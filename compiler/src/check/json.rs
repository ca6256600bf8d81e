//! JSON, as Ruby's parser takes it: comments are white space, any value may stand alone.

use bunraku_vm::compat::{Compat, Rule};
use std::borrow::Cow;
use std::ops::Range;

/// The text without its comments, for a reader that does not know them.
///
/// # Errors
/// What is wrong with it as JSON, in the words of Ruby's parser, or of what Puppet has around it in a version.
pub fn without_comments(text: &str, compat: Compat) -> Result<Cow<'_, str>, String> {
    let is_blank = text.bytes().all(|byte| byte.is_ascii_whitespace() || byte == 0x0b);
    if is_blank && compat.holds(Rule::BlankJsonIsNamed) {
        return Err("JSON::ParserError".to_owned());
    }
    let mut reader = JsonReader { text, bytes: text.as_bytes(), at: 0, comments: Vec::new() };
    let whole = reader.skip().and_then(|()| reader.value(1)).and_then(|()| reader.skip());
    match whole {
        Ok(()) if reader.at == text.len() => {}
        Ok(()) | Err(Stop::Here) => return Err(reader.unexpected(859, reader.at)),
        Err(Stop::Raised(message)) => return Err(message),
    }
    let mut rest = Cow::Borrowed(text);
    for comment in reader.comments {
        let blank = " ".repeat(comment.len());
        rest.to_mut().replace_range(comment, &blank);
    }
    Ok(rest)
}

const OPEN_BRACE: u8 = b'{';
const CLOSE_BRACE: u8 = b'}';
const QUOTE: u8 = b'\x22';

/// How deep JSON may nest, as in Ruby.
const MAX_DEPTH: u32 = 100;

/// Why reading ends.
enum Stop {
    /// What stands here is not what it should be; what is around it says so.
    Here,
    /// It has been said. Arrays say it at once, objects leave it to what is around them.
    Raised(String),
}

type Read = Result<(), Stop>;

struct JsonReader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    comments: Vec<Range<usize>>,
}

impl JsonReader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The message of a fault, by the line of Ruby's parser that it is from. It ends where a string of C ends.
    fn unexpected(&self, line: u32, at: usize) -> String {
        let rest = self.text.get(at..).unwrap_or("");
        let rest = rest.split_once('\0').map_or(rest, |(before, _)| before);
        format!("{line}: unexpected token at '{rest}'")
    }

    fn eat(&mut self, text: &str) -> Read {
        match self.bytes[self.at..].starts_with(text.as_bytes()) {
            true => self.at += text.len(),
            false => return Err(Stop::Here),
        }
        Ok(())
    }

    /// White space and comments. On failure the reader stands behind what might have begun one.
    fn skip(&mut self) -> Read {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                Some(b'/') => {
                    let rest = &self.bytes[self.at..];
                    let length = match rest.get(1) {
                        Some(b'*') => rest[2..].windows(2).position(|end| end == b"*/").map(|at| at + 4),
                        Some(b'/') => rest.iter().position(|byte| *byte == b'\n').map(|at| at + 1),
                        Some(_) => {
                            self.at += 1;
                            return Err(Stop::Here);
                        }
                        None => None,
                    };
                    let start = self.at;
                    self.at += length.unwrap_or(rest.len());
                    if length.is_none() {
                        return Err(Stop::Here);
                    }
                    self.comments.push(start..self.at);
                }
                _ => return Ok(()),
            }
        }
    }

    /// A value. On failure the reader stands at the start of what is wrong.
    fn value(&mut self, depth: u32) -> Read {
        match self.peek().ok_or(Stop::Here)? {
            OPEN_BRACE => self.object(depth),
            b'[' => self.array(depth),
            QUOTE => self.string(),
            b't' => self.eat("true"),
            b'f' => self.eat("false"),
            b'n' => self.eat("null"),
            b'N' => self.refuse("NaN", 225, self.at),
            // Ruby's parser looks for its begin one byte too early.
            b'I' => self.refuse("Infinity", 232, self.at.checked_sub(1).unwrap_or(self.text.len())),
            b'-' => self.refuse("-Infinity", 249, self.at).or_else(|stop| match stop {
                Stop::Here => self.number(),
                raised => Err(raised),
            }),
            _ => self.number(),
        }
    }

    /// Numbers that JSON has not.
    fn refuse(&self, name: &str, line: u32, at: usize) -> Read {
        match self.bytes[self.at..].starts_with(name.as_bytes()) {
            true => Err(Stop::Raised(self.unexpected(line, at))),
            false => Err(Stop::Here),
        }
    }

    fn array(&mut self, depth: u32) -> Read {
        let read = self.list(b']', depth, |reader| reader.value(depth + 1));
        read.map_err(|stop| match stop {
            Stop::Here => Stop::Raised(self.unexpected(451, self.at)),
            raised => raised,
        })
    }

    fn object(&mut self, depth: u32) -> Read {
        let start = self.at;
        let read = self.list(CLOSE_BRACE, depth, |reader| {
            if reader.peek() != Some(QUOTE) {
                return Err(Stop::Here);
            }
            reader.string()?;
            reader.skip()?;
            reader.eat(":")?;
            reader.skip()?;
            reader.value(depth + 1)
        });
        if read.is_err() {
            self.at = start;
        }
        read
    }

    fn list(&mut self, close: u8, depth: u32, item: impl Fn(&mut Self) -> Read) -> Read {
        if depth > MAX_DEPTH {
            return Err(Stop::Raised(format!("nesting of {depth} is too deep")));
        }
        self.at += 1;
        self.skip()?;
        if self.peek() != Some(close) {
            loop {
                item(self)?;
                self.skip()?;
                if self.peek() != Some(b',') {
                    break;
                }
                self.at += 1;
                self.skip()?;
            }
        }
        match self.peek() == Some(close) {
            true => self.at += 1,
            false => return Err(Stop::Here),
        }
        Ok(())
    }

    fn string(&mut self) -> Read {
        let mut at = self.at + 1;
        loop {
            match *self.bytes.get(at).ok_or(Stop::Here)? {
                QUOTE => break,
                b'\\' => {
                    let digits = self.bytes.get(at + 2..at + 6);
                    match self.bytes.get(at + 1).ok_or(Stop::Here)? {
                        b'u' if !digits.is_some_and(|all| all.iter().all(u8::is_ascii_hexdigit)) => {
                            return Err(Stop::Here);
                        }
                        0..b' ' => return Err(Stop::Here),
                        _ => at += 2,
                    }
                }
                0..b' ' => return Err(Stop::Here),
                _ => at += 1,
            }
        }
        self.at = at + 1;
        Ok(())
    }

    fn number(&mut self) -> Read {
        let rest = &self.bytes[self.at..];
        let digits = |from: usize| rest[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut end = usize::from(rest.first() == Some(&b'-'));
        let whole = digits(end);
        if whole == 0 || whole > 1 && rest[end] == b'0' {
            return Err(Stop::Here);
        }
        end += whole;
        if rest.get(end) == Some(&b'.') && digits(end + 1) > 0 {
            end += 1 + digits(end + 1);
        }
        if matches!(rest.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(rest.get(end + 1), Some(b'+' | b'-')));
            let exponent = digits(end + 1 + sign);
            end += if exponent > 0 { 1 + sign + exponent } else { 0 };
        }
        self.at += end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::without_comments;
    use bunraku_vm::compat::Compat;

    fn check(text: &str) -> Option<String> {
        without_comments(text, Compat::V7).err()
    }

    /// Texts with what Ruby's parser (json 2.6.1) says of them; nothing where it takes them.
    const ANSWERS: &[(&str, &str)] = &[
        ("", "859: unexpected token at ''"),
        (" ", "859: unexpected token at ''"),
        ("{", "859: unexpected token at '{'"),
        ("{\"a\"", "859: unexpected token at '{\"a\"'"),
        ("{\"a\":", "859: unexpected token at '{\"a\":'"),
        ("{\"a\":1", "859: unexpected token at '{\"a\":1'"),
        ("{\"a\":1,", "859: unexpected token at '{\"a\":1,'"),
        ("{\"a\":1,}", "859: unexpected token at '{\"a\":1,}'"),
        ("{a:1}", "859: unexpected token at '{a:1}'"),
        ("{\"a\" 1}", "859: unexpected token at '{\"a\" 1}'"),
        ("{\"a\":}", "859: unexpected token at '{\"a\":}'"),
        ("{\"a\":[", "451: unexpected token at ''"),
        ("{\"a\":[1", "451: unexpected token at ''"),
        ("{\"a\":{\"b\"", "859: unexpected token at '{\"a\":{\"b\"'"),
        ("{\"a\":{\"b\":[1,2", "451: unexpected token at ''"),
        ("[", "451: unexpected token at ''"),
        ("[1", "451: unexpected token at ''"),
        ("[1,", "451: unexpected token at ''"),
        ("[1,]", "451: unexpected token at ']'"),
        ("[1 2]", "451: unexpected token at '2]'"),
        ("[,]", "451: unexpected token at ',]'"),
        ("[[1", "451: unexpected token at ''"),
        ("[[1,", "451: unexpected token at ''"),
        ("[[", "451: unexpected token at ''"),
        ("[{", "451: unexpected token at '{'"),
        ("[{\"a\":1", "451: unexpected token at '{\"a\":1'"),
        ("[{\"a\":[", "451: unexpected token at ''"),
        ("\"abc", "859: unexpected token at '\"abc'"),
        ("\"a\\q\"", ""),
        ("\"a\\nb\"", ""),
        ("tru", "859: unexpected token at 'tru'"),
        ("true false", "859: unexpected token at 'false'"),
        ("nul", "859: unexpected token at 'nul'"),
        ("NaN", "225: unexpected token at 'NaN'"),
        ("[NaN]", "225: unexpected token at 'NaN]'"),
        ("Infinity", "232: unexpected token at ''"),
        ("-Infinity", "249: unexpected token at '-Infinity'"),
        ("[-Infinity]", "249: unexpected token at '-Infinity]'"),
        ("-", "859: unexpected token at '-'"),
        ("[-]", "451: unexpected token at '-]'"),
        ("01", "859: unexpected token at '01'"),
        ("[01]", "451: unexpected token at '01]'"),
        ("1.", "859: unexpected token at '.'"),
        ("[1.]", "451: unexpected token at '.]'"),
        ("1.e5", "859: unexpected token at '.e5'"),
        ("1e", "859: unexpected token at 'e'"),
        (".5", "859: unexpected token at '.5'"),
        ("+1", "859: unexpected token at '+1'"),
        ("[1] x", "859: unexpected token at 'x'"),
        ("{} {}", "859: unexpected token at '{}'"),
        ("{'a':1}", "859: unexpected token at '{'a':1}'"),
        ("{\"a\":'b'}", "859: unexpected token at '{\"a\":'b'}'"),
        ("// c", "859: unexpected token at ''"),
        ("/* c", "859: unexpected token at ''"),
        ("[1 /* c ]", "451: unexpected token at ''"),
        ("[1] // c", "859: unexpected token at ''"),
        ("[1 // c", "451: unexpected token at ''"),
        ("{\"a\":1 \"b\":2}", "859: unexpected token at '{\"a\":1 \"b\":2}'"),
        ("{1:2}", "859: unexpected token at '{1:2}'"),
        ("{\"a\":tru}", "859: unexpected token at '{\"a\":tru}'"),
        ("{\"a\":\"b", "859: unexpected token at '{\"a\":\"b'"),
        ("{\"a\":\"b}", "859: unexpected token at '{\"a\":\"b}'"),
        ("[true", "451: unexpected token at ''"),
        ("[tru", "451: unexpected token at 'tru'"),
        ("[1,tru]", "451: unexpected token at 'tru]'"),
        ("{\"a\":1}]", "859: unexpected token at ']'"),
        ("[1}", "451: unexpected token at '}'"),
        ("{\"a\":1]", "859: unexpected token at '{\"a\":1]'"),
        ("]", "859: unexpected token at ']'"),
        ("}", "859: unexpected token at '}'"),
        (",", "859: unexpected token at ','"),
        (":", "859: unexpected token at ':'"),
        ("ä", "859: unexpected token at 'ä'"),
        ("{\"ä\":}", "859: unexpected token at '{\"ä\":}'"),
        ("{\"a\":[1,{\"b\":}]}", "451: unexpected token at '{\"b\":}]}'"),
        ("{\"a\":[1,{\"b\":nul}]}", "451: unexpected token at '{\"b\":nul}]}'"),
        ("[[[[1,2],[3", "451: unexpected token at ''"),
        ("{\"a\":{\"b\":{\"c\":", "859: unexpected token at '{\"a\":{\"b\":{\"c\":'"),
        ("\u{feff}[1]", "859: unexpected token at '\u{feff}[1]'"),
        ("{\"a\":1.5e}", "859: unexpected token at '{\"a\":1.5e}'"),
        ("{\"a\":-}", "859: unexpected token at '{\"a\":-}'"),
        ("\"\\u12\"", "859: unexpected token at '\"\\u12\"'"),
        ("[\"\\u12\"]", "451: unexpected token at '\"\\u12\"]'"),
        ("[1,\n2,\nx]", "451: unexpected token at 'x]'"),
        ("[1]]", "859: unexpected token at ']'"),
        ("{\"a\":1}}", "859: unexpected token at '}'"),
        ("{\"a\":NaN}", "225: unexpected token at 'NaN}'"),
        ("{\"a\":Infinity}", "232: unexpected token at ':Infinity}'"),
        ("{\"a\":-Infinity}", "249: unexpected token at '-Infinity}'"),
        ("[1,2,/]", "451: unexpected token at ']'"),
        ("/", "859: unexpected token at ''"),
        ("{/", "859: unexpected token at '{/'"),
        ("{\"a\"/", "859: unexpected token at '{\"a\"/'"),
        ("{\"a\":/", "859: unexpected token at '{\"a\":/'"),
        ("{\"a\":1/", "859: unexpected token at '{\"a\":1/'"),
        ("[/", "451: unexpected token at ''"),
        ("[1/", "451: unexpected token at ''"),
        ("[1,/", "451: unexpected token at ''"),
        ("{\"a\":1,/", "859: unexpected token at '{\"a\":1,/'"),
        ("\"\\u123\"", "859: unexpected token at '\"\\u123\"'"),
        ("\"\\u1234\"", ""),
        ("\"\\uzzzz\"", "859: unexpected token at '\"\\uzzzz\"'"),
        ("\"\\uzzz\"", "859: unexpected token at '\"\\uzzz\"'"),
        ("\"\\u12\\\"34\"", "859: unexpected token at '\"\\u12\\\"34\"'"),
        ("\"\\u12\\n\"", "859: unexpected token at '\"\\u12\\n\"'"),
        ("\"a\tb\"", "859: unexpected token at '\"a\tb\"'"),
        ("\"a\nb\"", "859: unexpected token at '\"a\nb\"'"),
        ("[\"\\u123\"]", "451: unexpected token at '\"\\u123\"]'"),
        ("{\"a\":\"\\u1\"}", "859: unexpected token at '{\"a\":\"\\u1\"}'"),
        ("{\"\\u1\":1}", "859: unexpected token at '{\"\\u1\":1}'"),
        ("[Infinity]", "232: unexpected token at '[Infinity]'"),
        (" Infinity", "232: unexpected token at ' Infinity'"),
        ("[1,Infinity", "232: unexpected token at ',Infinity'"),
        ("[-Infinity", "249: unexpected token at '-Infinity'"),
        ("-Inf", "859: unexpected token at '-Inf'"),
        ("[-Inf]", "451: unexpected token at '-Inf]'"),
        ("[1]/x", "859: unexpected token at 'x'"),
        ("[1]/", "859: unexpected token at ''"),
        ("[1]/*", "859: unexpected token at ''"),
        ("[1]/* *", "859: unexpected token at ''"),
        ("{}//", "859: unexpected token at ''"),
        ("{}//\n", ""),
        ("//\n1", ""),
        ("[/x]", "451: unexpected token at 'x]'"),
        ("[1,/*x*/2]", ""),
        ("[1/*x*/,2/", "451: unexpected token at ''"),
        ("Nan", "859: unexpected token at 'Nan'"),
        ("[Nan]", "451: unexpected token at 'Nan]'"),
        ("Infinit", "859: unexpected token at 'Infinit'"),
        ("[Infinit]", "451: unexpected token at 'Infinit]'"),
        ("\"\u{7f}\"", ""),
        ("[\"\u{1}\"]", "451: unexpected token at '\"\u{1}\"]'"),
        ("\"\\\u{1}\"", "859: unexpected token at '\"\\\u{1}\"'"),
        ("\"\\", "859: unexpected token at '\"\\'"),
        ("\"\\\"", "859: unexpected token at '\"\\\"'"),
        ("[1]\u{0}", "859: unexpected token at ''"),
        ("\u{0}", "859: unexpected token at ''"),
        ("[\u{0}]", "451: unexpected token at ''"),
        ("1 1", "859: unexpected token at '1'"),
        ("-1", ""),
        ("[-0]", ""),
        ("-01", "859: unexpected token at '-01'"),
        ("[-01]", "451: unexpected token at '-01]'"),
        ("1e5", ""),
        ("1E+5", ""),
        ("1e+", "859: unexpected token at 'e+'"),
        ("[1e+]", "451: unexpected token at 'e+]'"),
        ("-.5", "859: unexpected token at '-.5'"),
        ("{\"a\":1}x", "859: unexpected token at 'x'"),
        ("{\"a\":1,\"b\"", "859: unexpected token at '{\"a\":1,\"b\"'"),
        ("😀", "859: unexpected token at '😀'"),
        ("[\"\\u{1F600}", "451: unexpected token at '\"\\u{1F600}'"),
        ("truefalse", "859: unexpected token at 'false'"),
        ("[truefalse]", "451: unexpected token at 'false]'"),
        ("1true", "859: unexpected token at 'true'"),
        ("[1true]", "451: unexpected token at 'true]'"),
        ("\"\"\"\"", "859: unexpected token at '\"\"'"),
        ("{\"a\"::1}", "859: unexpected token at '{\"a\"::1}'"),
        ("[1,,2]", "451: unexpected token at ',2]'"),
        ("{\"a\":1,,}", "859: unexpected token at '{\"a\":1,,}'"),
        ("{,}", "859: unexpected token at '{,}'"),
        ("{\"a\":[}", "451: unexpected token at '}'"),
        ("{\"a\":[1}", "451: unexpected token at '}'"),
        ("{\"a\":[1,{\"b\":2]}", "451: unexpected token at '{\"b\":2]}'"),
    ];

    #[test]
    fn texts_are_taken_and_refused_in_rubys_words() {
        for (text, wanted) in ANSWERS {
            assert_eq!(check(text).unwrap_or_default(), *wanted, "{text:?}");
        }
        let blank = |compat| without_comments(" \n", compat).err().unwrap_or_default();
        assert_eq!(blank(Compat::V8), "JSON::ParserError");
        assert_eq!(blank(Compat::V9), "859: unexpected token at ''");
        let commented = without_comments("[/* é */1] // x\n", Compat::V8);
        assert_eq!(commented.as_deref(), Ok("[        1]      "));
        let (deep, deeper) = ("[".repeat(100) + &"]".repeat(100), "{\"a\":".repeat(101) + "1");
        assert_eq!(check(&deep), None);
        assert_eq!(check(&deeper).as_deref(), Some("nesting of 101 is too deep"));
        assert_eq!(check(&"[".repeat(1_000_000)).as_deref(), Some("nesting of 101 is too deep"));
    }
}
