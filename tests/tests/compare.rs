//! What the released binary compares bytes with (`packaging/compare.c`) against what the C library here does: every length up to
//! 100 bytes, from addresses that differ in what they can be divided by, with a difference at every byte, and with none.

use bunraku_tests::paths;
use std::fs;
use std::process::Command;
use tempfile::TempDir;

/// Includes the functions under other names, and ends with the number of the line that does not hold.
const CALLER: &str = r"
#define memcmp ours_memcmp
#define bcmp ours_bcmp
#include PATH
#undef memcmp
#undef bcmp
#include <string.h>
#include <strings.h>

static int sign(int number) { return (number > 0) - (number < 0); }

int main(void) {
  static unsigned char left[128], right[128];
  const int differences[] = {1, 127, 128, 255};
  for (size_t length = 0; length <= 100; length++)
    for (size_t from = 0; from < 9; from++) {
      unsigned char *a = left + from, *b = right + 8 - from;
      // What lies before and behind differs, and has no say.
      memset(left, 7, sizeof left);
      memset(right, 9, sizeof right);
      for (size_t at = 0; at < length; at++) a[at] = b[at] = (unsigned char)(at * 37 + 200);
      if (ours_memcmp(a, b, length) != 0) return 1;
      if (ours_bcmp(a, b, length) != 0) return 2;
      for (size_t at = 0; at < length; at++)
        for (int which = 0; which < 4; which++) {
          b[at] = (unsigned char)(a[at] + differences[which]);
          // A later difference of the other direction has no say either.
          unsigned char last = b[length - 1];
          if (at + 1 < length) b[length - 1] = (unsigned char)(a[length - 1] + (a[at] < b[at] ? 255 : 1));
          if (sign(ours_memcmp(a, b, length)) != sign(memcmp(a, b, length))) return 3;
          if (!ours_bcmp(a, b, length)) return 4;
          if (at + 1 < length) b[length - 1] = last;
          b[at] = a[at];
        }
    }
  return 0;
}
";

#[test]
fn bytes_are_compared_as_by_the_c_library() {
    let folder = TempDir::new().unwrap();
    let source = folder.path().join("caller.c");
    let path = paths::root().join("packaging/compare.c");
    fs::write(&source, CALLER.replace("PATH", &format!("{path:?}"))).unwrap();
    for level in ["-O0", "-O3"] {
        let program = folder.path().join("caller");
        let built = Command::new("cc").args([level, "-o"]).arg(&program).arg(&source).status();
        assert!(built.expect("cc, which Rust links with, runs").success(), "cc {level}");
        let ended = Command::new(&program).status().unwrap();
        assert!(ended.success(), "{level}: {ended}");
    }
}
