#pragma once
#include <sys/types.h>
ssize_t read(int file, void *bytes, size_t count);
ssize_t pread(int file, void *bytes, size_t count, off_t offset);
int close(int file);
