#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "flow_process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Creates a file that has no name in any folder.
static int nameless_file(void) {
#ifdef __linux__
  int memory = memfd_create("flowrun-guard", MFD_CLOEXEC);
  if (memory >= 0 || errno != ENOSYS) return memory;
#endif
  char path[] = "/tmp/flowrun-guard.XXXXXX";
  int file = mkstemp(path);
  if (file < 0) return -1;
  unlink(path);
  fcntl(file, F_SETFD, FD_CLOEXEC);
  return file;
}

uint64_t *flow_guard_table(int count, int *file) {
  size_t size = (size_t)count * sizeof(uint64_t);
  *file = nameless_file();
  if (*file < 0) return NULL;
  void *table = MAP_FAILED;
  if (ftruncate(*file, (off_t)size) == 0) table = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, *file, 0);
  if (table == MAP_FAILED) {
    int failure = errno;
    close(*file);
    errno = failure;
    return NULL;
  }
  // Pages without records use no memory.
  flow_guard_end(table);
  return table;
}

void flow_guard_end(uint64_t *record) {
  uint64_t value;
  memcpy(&value, "end    \n", sizeof value);
  __atomic_store_n(record, value, __ATOMIC_RELEASE);
}

void flow_guard_clear(uint64_t *record) {
  uint64_t value;
  memcpy(&value, "       \n", sizeof value);
  __atomic_store_n(record, value, __ATOMIC_RELEASE);
}

pid_t flow_guard_group(const uint64_t *record) {
  uint64_t value = __atomic_load_n(record, __ATOMIC_ACQUIRE);
  char text[9] = {0};
  memcpy(text, &value, sizeof value);
  return (pid_t)atoi(text);
}
