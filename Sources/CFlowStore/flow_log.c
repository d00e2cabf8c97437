#define _GNU_SOURCE
#include "flow_store.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The format is documented at https://sqlite.org/fileformat2.html#walformat. SQLite reads a log up to its first bad
// frame and silently ignores the rest, so a damaged byte could empty a store without an error.

enum { HEADER = 32, FRAME_HEADER = 24, FRAMES_AT_ONCE = 16 };

struct sums {
  uint32_t first, second;
};

static uint32_t big_endian(const unsigned char *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static uint32_t little_endian(const unsigned char *bytes) {
  return (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

static struct sums add(struct sums sums, bool is_big, const unsigned char *bytes, size_t count) {
  for (size_t index = 0; index < count; index += 8) {
    sums.first += (is_big ? big_endian(bytes + index) : little_endian(bytes + index)) + sums.second;
    sums.second += (is_big ? big_endian(bytes + index + 4) : little_endian(bytes + index + 4)) + sums.first;
  }
  return sums;
}

static bool same(struct sums sums, const unsigned char *stored) {
  return sums.first == big_endian(stored) && sums.second == big_endian(stored + 4);
}

static uint64_t salt_at(const unsigned char *bytes) { return (uint64_t)big_endian(bytes) << 32 | big_endian(bytes + 4); }

// Reads `count` bytes at `offset`, or fewer at the end of the file.
static ssize_t read_at(int file, unsigned char *bytes, size_t count, off_t offset) {
  size_t done = 0;
  while (done < count) {
    ssize_t result = pread(file, bytes + done, count - done, offset + (off_t)done);
    if (result < 0 && errno == EINTR) continue;
    if (result < 0) return -errno;
    if (result == 0) break;
    done += (size_t)result;
  }
  return (ssize_t)done;
}

// Returns 1 if the file consists of zeros, 0 if not, or the system's error number as a negative value.
static int is_zero(int file, off_t size) {
  unsigned char bytes[1 << 16];
  for (off_t offset = 0; offset < size; offset += sizeof bytes) {
    ssize_t count = read_at(file, bytes, sizeof bytes, offset);
    if (count < 0) return (int)count;
    for (ssize_t index = 0; index < count; index++) {
      if (bytes[index] != 0) return 0;
    }
  }
  return 1;
}

// Returns the inverse of an odd number modulo 2^32.
static uint32_t inverse(uint32_t number) {
  uint32_t result = number;
  for (int round = 0; round < 5; round++) result *= 2 - number * result;
  return result;
}

// Returns true if a frame that does not end a transaction would be intact if the field that marks the end of a
// transaction had another value. The checksums are linear in that value, so it can be computed from two of them.
static bool ended_transaction(
    const unsigned char *frame, size_t page, struct sums before, bool is_big) {
  unsigned char field[8];
  memcpy(field, frame, 8);
  memset(field + 4, 0, 4);
  struct sums zero = add(add(before, is_big, field, 8), is_big, frame + FRAME_HEADER, page);
  field[is_big ? 7 : 4] = 1;
  struct sums one = add(add(before, is_big, field, 8), is_big, frame + FRAME_HEADER, page);
  struct sums step = {one.first - zero.first, one.second - zero.second};
  struct sums stored = {big_endian(frame + 16), big_endian(frame + 20)};
  uint32_t value;
  if (step.first & 1) {
    value = (stored.first - zero.first) * inverse(step.first);
  } else if (step.second & 1) {
    value = (stored.second - zero.second) * inverse(step.second);
  } else {
    return false;
  }
  return value != 0 && zero.first + value * step.first == stored.first
      && zero.second + value * step.second == stored.second;
}

// The state while a log is read.
struct reading {
  int file;
  bool is_big;
  size_t page;
  uint64_t frames;
  struct sums sums;
};

static off_t offset_of(const struct reading *log, uint64_t frame) {
  return HEADER + (off_t)((frame - 1) * (FRAME_HEADER + log->page));
}

// Reads the frames up to the first bad one. Returns 1 if the bad frame ends a transaction, 0 if not, or the system's
// error number as a negative value.
static int read_intact(struct reading *reading, unsigned char *frames, struct flow_log *log) {
  size_t length = FRAME_HEADER + reading->page;
  for (uint64_t number = 1; number <= reading->frames;) {
    uint64_t left = reading->frames - number + 1;
    size_t wanted = left < FRAMES_AT_ONCE ? left : FRAMES_AT_ONCE;
    ssize_t count = read_at(reading->file, frames, wanted * length, offset_of(reading, number));
    if (count < 0) return (int)count;
    wanted = (size_t)count / length;
    if (wanted == 0) return 0;
    for (size_t index = 0; index < wanted; index++, number++) {
      const unsigned char *frame = frames + index * length;
      bool is_own = salt_at(frame + 8) == log->salt;
      bool is_end = big_endian(frame + 4) != 0;
      struct sums next = add(reading->sums, reading->is_big, frame, 8);
      next = add(next, reading->is_big, frame + FRAME_HEADER, reading->page);
      bool is_intact = same(next, frame + 16);
      if (is_own && is_intact && big_endian(frame) != 0) {
        reading->sums = next;
        if (is_end) log->frames = (uint32_t)number;
        continue;
      }
      log->bad_frame = (uint32_t)number;
      if (!is_own && !is_intact) return 0;
      return is_end || ended_transaction(frame, reading->page, reading->sums, reading->is_big) ? 1 : 0;
    }
  }
  return 0;
}

static int walk(struct reading *reading, unsigned char *frames, struct flow_log *log) {
  int ends = read_intact(reading, frames, log);
  if (ends < 0 || log->bad_frame == 0) return ends < 0 ? ends : FLOW_LOG_SOUND;
  // After the bad frame, only headers matter. An incomplete transaction has at most one end, so a second one means that
  // data was lost.
  for (uint64_t number = log->bad_frame + 1ull; number <= reading->frames && ends < 2; number++) {
    ssize_t count = read_at(reading->file, frames, FRAME_HEADER, offset_of(reading, number));
    if (count < 0) return (int)count;
    if (count < FRAME_HEADER) break;
    if (salt_at(frames + 8) == log->salt && big_endian(frames + 4) != 0) ends++;
  }
  return ends > 1 ? FLOW_LOG_DAMAGED : FLOW_LOG_SOUND;
}

int flow_log_check(int file, uint64_t durable_salt, uint32_t durable_frames, struct flow_log *log) {
  memset(log, 0, sizeof *log);
  struct stat status;
  if (fstat(file, &status) != 0) return -errno;
  unsigned char header[HEADER];
  ssize_t count = read_at(file, header, HEADER, 0);
  if (count < 0) return (int)count;
  // The header is written before any frame, so a log without a complete header has no frames.
  if (count < HEADER) return FLOW_LOG_EMPTY;
  uint32_t magic = big_endian(header);
  if (magic == 0) {
    int zero = is_zero(file, status.st_size);
    return zero < 0 ? zero : zero == 1 ? FLOW_LOG_EMPTY : FLOW_LOG_DAMAGED;
  }
  struct sums none = {0, 0};
  uint32_t page = big_endian(header + 8);
  if ((magic & ~1u) != 0x377f0682 || big_endian(header + 4) != 3007000 || page < 512 || page > 65536
      || (page & (page - 1)) != 0 || !same(add(none, magic & 1, header, 24), header + 24)) {
    return FLOW_LOG_DAMAGED;
  }
  log->salt = salt_at(header + 16);
  unsigned char *frames = malloc(FRAMES_AT_ONCE * (FRAME_HEADER + (size_t)page));
  if (frames == NULL) return -ENOMEM;
  struct reading reading = {
      .file = file,
      .is_big = magic & 1,
      .page = page,
      .frames = (uint64_t)(status.st_size - HEADER) / (FRAME_HEADER + page),
      .sums = {big_endian(header + 24), big_endian(header + 28)},
  };
  int result = walk(&reading, frames, log);
  free(frames);
  bool is_short = durable_salt == log->salt && log->frames < durable_frames;
  return result == FLOW_LOG_SOUND && is_short ? FLOW_LOG_DAMAGED : result;
}

uint64_t flow_log_salt(int file) {
  unsigned char header[HEADER];
  return read_at(file, header, HEADER, 0) == HEADER ? salt_at(header + 16) : 0;
}

uint64_t flow_log_frame_salt(int file, uint32_t frame) {
  unsigned char header[FRAME_HEADER];
  off_t offset = HEADER + (off_t)(frame - 1) * (FRAME_HEADER + 4096);
  if (read_at(file, header, FRAME_HEADER, offset) != FRAME_HEADER || big_endian(header + 4) == 0) return 0;
  return salt_at(header + 8);
}
