#include "flow_clock.h"

#if defined(__linux__)
#include <linux/futex.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// The layout of sched_setattr(2), first version.
struct scheduling_attributes {
  uint32_t size, policy;
  uint64_t flags;
  int32_t niceness;
  uint32_t priority;
  uint64_t runtime_nanoseconds, deadline_nanoseconds, period_nanoseconds;
};

void flow_prefer_promptness(void) {
  struct scheduling_attributes attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  // Policy 0 is the usual one; for it the runtime is the slice, 0.1 ms at least.
  attributes.runtime_nanoseconds = 100 * 1000;
  (void)syscall(SYS_sched_setattr, 0, &attributes, 0);
}

void flow_set_niceness(int niceness) {
  // On Linux 0 is the calling thread, not its process. Zero is what a thread begins with.
  if (niceness != 0) (void)setpriority(PRIO_PROCESS, 0, niceness);
}

int flow_sleep_until(const uint32_t *word, uint64_t nanoseconds) {
  // Waiting with a bit set takes an instant of the monotonic clock; one of the wall clock would move when that is set.
  struct timespec instant = {.tv_sec = (time_t)(nanoseconds / 1000000000), .tv_nsec = (long)(nanoseconds % 1000000000)};
  (void)syscall(
      SYS_futex, word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 0, &instant, NULL, FUTEX_BITSET_MATCH_ANY);
  return 1;
}

void flow_wake(const uint32_t *word) {
  (void)syscall(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0);
}
#else
void flow_prefer_promptness(void) {}
void flow_set_niceness(int niceness) {}
int flow_sleep_until(const uint32_t *word, uint64_t nanoseconds) { return 0; }
void flow_wake(const uint32_t *word) {}
#endif
