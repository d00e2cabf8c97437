#pragma once
#include <sys/types.h>
struct stat {
  dev_t st_dev;
  mode_t st_mode;
  ino_t st_ino;
  off_t st_size;
};
int stat(const char *path, struct stat *status);
int fstat(int file, struct stat *status);
