#pragma once
int pthread_setname_np(const char *name);
