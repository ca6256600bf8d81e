//! What Ruby without rights writes to its error stream, as it comes to ours: as text, line by line, each with `Ruby: ` before it. A terminal
//! is told nothing by it but letters, and a CI reads no orders in it.

use bunraku_vm::format::visible::visible_line;
use std::io::{BufRead, BufReader, Read};
use std::process::ChildStderr;

/// How many bytes are handed on; what comes after them is read and dropped.
const MOST: u64 = 1 << 20;

/// How long a line may be, in bytes: a longer one is cut into several.
const LONGEST: u64 = 4096;

/// Hands on what comes, until nobody is left that could write.
pub(super) fn hand_on(stream: ChildStderr) {
    std::thread::spawn(move || {
        let mut left = MOST;
        let mut stream = BufReader::new(stream);
        let mut line = Vec::new();
        loop {
            line.clear();
            match stream.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(count) if left > 0 => {
                    left = left.saturating_sub(count as u64);
                    let end = if left == 0 { "Ruby: (and more, which is not shown)\n" } else { "" };
                    // Where nobody reads our own stream, there is nobody to tell.
                    let _ = rustix::io::write(
                        rustix::stdio::stderr(),
                        format!("{}{end}", shown(&line)).as_bytes(),
                    );
                }
                Ok(_) => {}
            }
        }
    });
}

/// A line as it is shown; whatever is no UTF-8 is U+FFFD.
fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(line));
    format!("Ruby: {}\n", visible_line(&text))
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn a_terminal_is_told_nothing_but_letters() {
        assert_eq!(shown("a\tü\n".as_bytes()), "Ruby: a\tü\n");
        assert_eq!(shown(b"\x1b]52;c;AAAA\x07\r"), "Ruby: \\u{1b}]52;c;AAAA\\u{7}\\r\n");
        assert_eq!(shown(b"\xff"), "Ruby: \u{fffd}\n");
    }
}
