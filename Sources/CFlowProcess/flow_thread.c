#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "flow_process.h"

#include <pthread.h>

void flow_name_thread(const char *name) {
#ifdef __APPLE__
  pthread_setname_np(name);
#else
  pthread_setname_np(pthread_self(), name);
#endif
}
