#pragma once
#include <stdint.h>
enum { MNT_LOCAL = 0x1000 };
struct statfs {
  uint32_t f_type, f_flags;
};
int statfs(const char *path, struct statfs *status);
