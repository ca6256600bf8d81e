// `memcmp` and `bcmp` of the released binary: what Rust compares texts and slices with. Zig's, and musl's, go byte by byte, which took 4 to 5 %
// of the instructions of a compile. These go by eight and sixteen bytes; they are C, since this is where a C library has them.
//
// Built and linked by `packaging/binary`, tested by `cargo test --test compare`.

#include <stddef.h>
#include <stdint.h>

// What lies at an address, whatever that can be divided by.
static inline uint64_t eight(const unsigned char *at) {
  uint64_t word;
  __builtin_memcpy(&word, at, sizeof word);
  return word;
}

static inline uint32_t four(const unsigned char *at) {
  uint32_t word;
  __builtin_memcpy(&word, at, sizeof word);
  return word;
}

// Not 0 where the bytes differ. The last piece begins before the one ahead of it ends, where they don't come out even.
int bcmp(const void *left, const void *right, size_t length) {
  const unsigned char *a = left, *b = right;
  if (length >= 16) {
    for (size_t at = 0; at < length - 16; at += 16)
      if ((eight(a + at) ^ eight(b + at)) | (eight(a + at + 8) ^ eight(b + at + 8)))
        return 1;
    a += length - 16, b += length - 16;
    return ((eight(a) ^ eight(b)) | (eight(a + 8) ^ eight(b + 8))) != 0;
  }
  if (length >= 8)
    return ((eight(a) ^ eight(b)) | (eight(a + length - 8) ^ eight(b + length - 8))) != 0;
  if (length >= 4)
    return ((four(a) ^ four(b)) | (four(a + length - 4) ^ four(b + length - 4))) != 0;
  if (length == 0)
    return 0;
  // One to three bytes: the first, the one in the middle and the last.
  return (a[0] ^ b[0]) | (a[length / 2] ^ b[length / 2]) | (a[length - 1] ^ b[length - 1]);
}

// The order of two different words by their bytes: both processors that are released for have the least byte first.
static inline int order(uint64_t a, uint64_t b) {
  return __builtin_bswap64(a) < __builtin_bswap64(b) ? -1 : 1;
}

// Less than 0, 0 or more than 0, as the first byte that differs is less, none does, or it is greater.
int memcmp(const void *left, const void *right, size_t length) {
  const unsigned char *a = left, *b = right;
  if (length >= 8) {
    for (size_t at = 0; at < length - 8; at += 8)
      if (eight(a + at) != eight(b + at))
        return order(eight(a + at), eight(b + at));
    a += length - 8, b += length - 8;
    return eight(a) == eight(b) ? 0 : order(eight(a), eight(b));
  }
  for (size_t at = 0; at < length; at++)
    if (a[at] != b[at])
      return a[at] - b[at];
  return 0;
}
