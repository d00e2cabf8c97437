#ifndef FLOW_STORE_H
#define FLOW_STORE_H

#include <stddef.h>
#include <stdint.h>

/// Returns the CRC-32C (RFC 3720, appendix B.4) of bytes. `seed` is the checksum of the bytes that precede them, or 0.
/// Uses the processor's instruction if it has one: a megabyte takes 0.1 ms.
uint32_t flow_crc32c(uint32_t seed, const void *bytes, size_t count);

/// Returns a 64-bit hash for distinguishing contents, computed by multiplying and folding: a megabyte takes 0.1 ms. The
/// chance of a collision is one in 2^64, but collisions can be constructed on purpose.
uint64_t flow_fingerprint(const void *bytes, size_t count);

/// Locks a byte of an open file exclusively for as long as the file is open. Returns 0 on success, 1 if another process
/// has locked the byte, or the system's error number as a negative value.
int flow_lock_byte(int file, int64_t offset);

/// Locks a byte of an open file together with other processes. Returns the same values as ``flow_lock_byte``. A shared
/// byte can be locked exclusively once no other process shares it.
int flow_share_byte(int file, int64_t offset);

/// Releases the lock on a byte of an open file.
void flow_release_byte(int file, int64_t offset);

/// Asks the system to start writing an open file to disk, and does not wait for it. Does nothing on systems without
/// such a call.
void flow_start_writing(int file);

/// Returns 1 if another process has locked the byte of an open file, 0 if none has, or the system's error number as a
/// negative value.
int flow_is_byte_locked(int file, int64_t offset);

/// Returns 1 if a folder is on a network file system, where processes cannot share memory. Returns 0 otherwise, or if
/// that is unknown.
int flow_is_network_folder(const char *path);

/// The state of an SQLite write-ahead log, read without SQLite.
struct flow_log {
  /// Both salts in the header of the log, or 0 if there is no header.
  uint64_t salt;
  /// The number of frames up to the last complete transaction.
  uint32_t frames;
  /// The number of the first damaged frame, or 0 if there is none.
  uint32_t bad_frame;
};

/// The results of ``flow_log_check``.
enum {
  /// The log has no frames: the file is empty or consists of zeros.
  FLOW_LOG_EMPTY = 0,
  /// The log has complete transactions and at most one incomplete transaction, which its process or machine was writing
  /// when it stopped.
  FLOW_LOG_SOUND = 1,
  /// Data that had been written is missing.
  FLOW_LOG_DAMAGED = 2,
};

/// Reads a whole open log. As in SQLite, a bad frame ends it. The log is damaged if another transaction ends after that
/// of the bad frame, or if the log has the salt `durable_salt` and ends before frame `durable_frames`. Returns one of
/// the values above, or the system's error number as a negative value.
int flow_log_check(int file, uint64_t durable_salt, uint32_t durable_frames, struct flow_log *log);

/// Returns both salts in the header of an open log, or 0 if there is no header.
uint64_t flow_log_salt(int file);

/// Returns both salts in the header of a frame of an open log whose pages have 4 KiB. Returns 0 if the frame cannot be
/// read or does not end a transaction.
uint64_t flow_log_frame_salt(int file, uint32_t frame);

#endif
