#pragma once
#include <stddef.h>
#include <stdint.h>
typedef int64_t off_t;
typedef int32_t pid_t;
typedef long ssize_t;
typedef uint16_t mode_t;
typedef uint64_t ino_t;
typedef int32_t dev_t;
