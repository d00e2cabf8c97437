#pragma once
#include <sys/types.h>
struct flock {
  off_t l_start, l_len;
  pid_t l_pid;
  short l_type, l_whence;
};
#define F_OFD_SETLK 90
#define F_OFD_GETLK 92
enum { F_RDLCK = 1, F_UNLCK = 2, F_WRLCK = 3, SEEK_SET = 0, O_RDONLY = 0 };
int fcntl(int file, int command, ...);
int open(const char *path, int flags, ...);
