#include "flow_store.h"

#include <string.h>

// The table of the reflected CRC-32C polynomial (Castagnoli) for four bits. A table for eight bits would be longer than
// this loop over 16 entries.
static const uint32_t table[16] = {
    0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
    0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

static uint32_t by_table(uint32_t crc, const unsigned char *bytes, size_t count) {
  for (size_t index = 0; index < count; index++) {
    crc ^= bytes[index];
    crc = (crc >> 4) ^ table[crc & 15];
    crc = (crc >> 4) ^ table[crc & 15];
  }
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t by_instruction(
    uint32_t crc, const unsigned char *bytes, size_t count) {
  uint64_t wide = crc;
  for (; count >= 8; bytes += 8, count -= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    wide = __builtin_ia32_crc32di(wide, word);
  }
  crc = (uint32_t)wide;
  for (; count > 0; bytes++, count--) crc = __builtin_ia32_crc32qi(crc, *bytes);
  return crc;
}
#endif

uint32_t flow_crc32c(uint32_t seed, const void *bytes, size_t count) {
  uint32_t crc = ~seed;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) return ~by_instruction(crc, bytes, count);
#endif
  return ~by_table(crc, bytes, count);
}

// Multiplies two numbers and folds the upper half of the product into the lower half, so each input bit affects all
// output bits.
static uint64_t mixed(uint64_t first, uint64_t second) {
  unsigned __int128 product = (unsigned __int128)first * second;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t word(const unsigned char *bytes) {
  uint64_t word = 0;
  for (int index = 7; index >= 0; index--) word = word << 8 | bytes[index];
  return word;
}

uint64_t flow_fingerprint(const void *bytes, size_t count) {
  // Digits of the golden ratio, of pi and of e. Any other odd numbers without a pattern would do.
  const uint64_t one = 0x9e3779b97f4a7c15, two = 0x243f6a8885a308d3, three = 0xb7e151628aed2a6b;
  const unsigned char *next = bytes;
  uint64_t left = one ^ count, right = two;
  size_t rest = count;
  for (; rest >= 32; next += 32, rest -= 32) {
    left = mixed(word(next) ^ two, word(next + 8) ^ left);
    right = mixed(word(next + 16) ^ three, word(next + 24) ^ right);
  }
  unsigned char tail[32] = {0};
  if (rest > 0) memcpy(tail, next, rest);
  left = mixed(word(tail) ^ two, word(tail + 8) ^ left);
  right = mixed(word(tail + 16) ^ three, word(tail + 24) ^ right);
  return mixed(left ^ one, right ^ three);
}
