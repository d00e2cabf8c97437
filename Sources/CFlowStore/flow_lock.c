#define _GNU_SOURCE
#include "flow_store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/types.h>
#if defined(__linux__)
#include <sys/vfs.h>
#else
#include <sys/mount.h>
#include <sys/param.h>
#endif

// The locks belong to the open file, not to the process. So two runs of one process also exclude each other, and a lock
// is released only when the last descriptor of the file is closed. F_SETLK is not suitable: it does not exclude runs of
// one process, and its lock is lost when the process closes any descriptor of the file.
#if !defined(F_OFD_SETLK)
#error "locks of open files (F_OFD_SETLK) are needed: build on Linux, or with an SDK of macOS 15.4, iOS 18.4 or later"
#endif

static struct flock lock_of(int64_t offset, short type) {
  struct flock lock;
  memset(&lock, 0, sizeof lock);
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = (off_t)offset;
  lock.l_len = 1;
  return lock;
}

static int set_lock(int file, int64_t offset, short type) {
  struct flock lock = lock_of(offset, type);
  while (fcntl(file, F_OFD_SETLK, &lock) != 0) {
    if (errno == EAGAIN || errno == EACCES) return 1;
    if (errno != EINTR) return -errno;
  }
  return 0;
}

int flow_lock_byte(int file, int64_t offset) { return set_lock(file, offset, F_WRLCK); }

int flow_share_byte(int file, int64_t offset) { return set_lock(file, offset, F_RDLCK); }

void flow_release_byte(int file, int64_t offset) { (void)set_lock(file, offset, F_UNLCK); }

void flow_start_writing(int file) {
#if defined(__linux__)
  (void)sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE);
#else
  (void)file;
#endif
}

int flow_is_byte_locked(int file, int64_t offset) {
  struct flock lock = lock_of(offset, F_WRLCK);
  if (fcntl(file, F_OFD_GETLK, &lock) != 0) return -errno;
  return lock.l_type == F_UNLCK ? 0 : 1;
}

int flow_is_network_folder(const char *path) {
  struct statfs status;
  if (statfs(path, &status) != 0) return 0;
#if defined(__linux__)
  switch ((uint32_t)status.f_type) {
    case 0x6969:      // NFS
    case 0x517b:      // SMB
    case 0xff534d42:  // CIFS
    case 0xfe534d42:  // SMB 2
    case 0x5346414f:  // AFS
    case 0x01021997:  // 9P
    case 0x00c36400:  // Ceph
    case 0x0bd00bd0:  // Lustre
    case 0x47504653:  // GPFS
      return 1;
    default: return 0;
  }
#else
  return (status.f_flags & MNT_LOCAL) == 0;
#endif
}
