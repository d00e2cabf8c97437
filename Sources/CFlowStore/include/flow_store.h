#ifndef FLOW_STORE_H
#define FLOW_STORE_H

#include <stddef.h>
#include <stdint.h>

/// CRC-32C (RFC 3720, appendix B.4) of bytes behind those that `seed` is the checksum of; 0 for none. With the processor's
/// instruction where it has one: a megabyte takes a tenth of a millisecond.
uint32_t flow_crc32c(uint32_t seed, const void *bytes, size_t count);

/// 64 bits that tell contents apart, by multiplying and folding: a megabyte takes a tenth of a millisecond. Equal ones of
/// different contents come by chance in one of 2^64 pairs; whoever wants them can make them.
uint64_t flow_fingerprint(const void *bytes, size_t count);

/// Locks one byte of an open file for as long as the file stays open, for itself alone. 0 when it has it, 1 when somebody
/// else does, else the system's error number, negative.
int flow_lock_byte(int file, int64_t offset);

/// Whether somebody else has a byte of an open file: 1, 0, or the system's error number, negative.
int flow_is_byte_locked(int file, int64_t offset);

/// Whether a folder lies on a file system of another machine, on which memory cannot be shared.
int flow_is_network_folder(const char *path);

#endif
