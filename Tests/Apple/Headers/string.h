#pragma once
#include <stddef.h>
void *memset(void *bytes, int byte, size_t count);
void *memcpy(void *to, const void *from, size_t count);
int memcmp(const void *first, const void *second, size_t count);
size_t strlen(const char *text);
