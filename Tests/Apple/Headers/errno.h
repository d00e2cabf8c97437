#pragma once
extern int *__error(void);
#define errno (*__error())
enum { EINTR = 4, EACCES = 13, EAGAIN = 35, EIO = 5, EINVAL = 22, ENOMEM = 12, ENOENT = 2 };
