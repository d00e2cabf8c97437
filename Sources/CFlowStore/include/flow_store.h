#ifndef FLOW_STORE_H
#define FLOW_STORE_H

#include <stddef.h>
#include <stdint.h>

/// CRC-32C (RFC 3720, appendix B.4) of bytes behind those that `seed` is the checksum of; 0 for none. With the processor's
/// instruction where it has one: a megabyte takes a tenth of a millisecond.
uint32_t flow_crc32c(uint32_t seed, const void *bytes, size_t count);

/// 64 bits that tell contents apart, by multiplying and folding: a megabyte takes a tenth of a millisecond. Equal ones
/// of different contents come by chance in one of 2^64 pairs; anyone who wants them can make them.
uint64_t flow_fingerprint(const void *bytes, size_t count);

/// Locks one byte of an open file for as long as the file stays open, for itself alone. 0 when it has it, 1 when somebody
/// else does, else the system's error number, negative.
int flow_lock_byte(int file, int64_t offset);

/// Locks one byte of an open file together with everybody else who shares it; returns what ``flow_lock_byte`` returns. A
/// shared byte can be locked alone once nobody else shares it.
int flow_share_byte(int file, int64_t offset);

/// Releases one byte of an open file.
void flow_release_byte(int file, int64_t offset);

/// Makes the system begin to write an open file to its disk, without waiting for it. Does nothing where that is unknown.
void flow_start_writing(int file);

/// Whether somebody else has a byte of an open file: 1, 0, or the system's error number, negative.
int flow_is_byte_locked(int file, int64_t offset);

/// Whether a folder is on a file system of another machine, on which memory cannot be shared.
int flow_is_network_folder(const char *path);

/// What a write-ahead log of SQLite holds, read without SQLite.
struct flow_log {
  /// Both salts of its header; 0 where it has none.
  uint64_t salt;
  /// The number of frames up to the last complete transaction.
  uint32_t frames;
  /// The number of the first frame that is not what was written; 0 where there is none.
  uint32_t bad_frame;
};

/// What ``flow_log_check`` found.
enum {
  /// No frame: the file is empty, or all zeros.
  FLOW_LOG_EMPTY = 0,
  /// Complete transactions, and at most one that was torn when its process or its machine stopped.
  FLOW_LOG_SOUND = 1,
  /// Something that was written is not there any more.
  FLOW_LOG_DAMAGED = 2,
};

/// Reads an open log whole. A bad frame ends it, as it does for SQLite. The log is damaged when a later transaction ends
/// behind the one of that frame, or when it ends before frame `durable_frames` although its salt is `durable_salt`.
/// Returns one of the values above, or the system's error number, negative.
int flow_log_check(int file, uint64_t durable_salt, uint32_t durable_frames, struct flow_log *log);

/// Both salts in the header of an open log; 0 where it has none.
uint64_t flow_log_salt(int file);

/// Both salts in the header of a frame of an open log whose pages have 4 KiB; 0 where it cannot be read or ends no
/// transaction.
uint64_t flow_log_frame_salt(int file, uint32_t frame);

#endif
