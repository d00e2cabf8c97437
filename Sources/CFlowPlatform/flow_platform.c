#define _GNU_SOURCE
#include "flow_platform.h"

#include <pthread.h>

void flow_name_thread(const char *name) {
#ifdef __APPLE__
  pthread_setname_np(name);
#else
  pthread_setname_np(pthread_self(), name);
#endif
}

#ifdef __linux__
#include <sched.h>
#include <stdlib.h>

int flow_usable_processors(void) {
  // The kernel's mask may be wider than the default of 1,024 processors.
  for (int width = 1024; width <= 1 << 20; width *= 4) {
    cpu_set_t *set = CPU_ALLOC(width);
    if (!set) return 0;
    size_t size = CPU_ALLOC_SIZE(width);
    int count = sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    if (count > 0) return count;
  }
  return 0;
}
#else
int flow_usable_processors(void) { return 0; }
#endif
