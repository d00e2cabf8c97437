#include "flow_clock.h"

#if defined(__linux__)
#include <linux/futex.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// The layout of the first version of the structure that sched_setattr(2) takes.
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
  // Policy 0 is the default policy. For it, the runtime is the time slice, which is at least 0.1 ms.
  attributes.runtime_nanoseconds = 100 * 1000;
  (void)syscall(SYS_sched_setattr, 0, &attributes, 0);
}

void flow_set_niceness(int niceness) {
  // On Linux, 0 means the calling thread, not its process. New threads have the niceness 0.
  if (niceness != 0) (void)setpriority(PRIO_PROCESS, 0, niceness);
}

int flow_exchange_niceness(int niceness) {
  int usual = getpriority(PRIO_PROCESS, 0);
  if (niceness != usual) (void)setpriority(PRIO_PROCESS, 0, niceness);
  return usual;
}

int flow_sleep_until(const uint32_t *word, uint64_t nanoseconds) {
  // FUTEX_WAIT_BITSET takes an instant of the monotonic clock, which does not change if the wall clock is set.
  struct timespec instant = {.tv_sec = (time_t)(nanoseconds / 1000000000), .tv_nsec = (long)(nanoseconds % 1000000000)};
  (void)syscall(
      SYS_futex, word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 0, &instant, NULL, FUTEX_BITSET_MATCH_ANY);
  return 1;
}

void flow_wake(const uint32_t *word) {
  (void)syscall(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0);
}
#elif defined(__APPLE__)
#include <mach/mach_time.h>
#include <os/os_sync_wait_on_address.h>

// On Apple's systems, the quality of service of the thread determines both.
void flow_prefer_promptness(void) {}
void flow_set_niceness(int niceness) {}
int flow_exchange_niceness(int niceness) { return niceness; }

int flow_sleep_until(const uint32_t *word, uint64_t nanoseconds) {
  // OS_CLOCK_MACH_ABSOLUTE_TIME counts the ticks of mach_absolute_time. The instant is rounded up, because no callback
  // may be early.
  mach_timebase_info_data_t timebase;
  if (mach_timebase_info(&timebase) != 0 || timebase.numer == 0) return 0;
  uint64_t ticks = (uint64_t)(((unsigned __int128)nanoseconds * timebase.denom + timebase.numer - 1) / timebase.numer);
  (void)os_sync_wait_on_address_with_deadline(
      (void *)word, 0, sizeof *word, OS_SYNC_WAIT_ON_ADDRESS_NONE, OS_CLOCK_MACH_ABSOLUTE_TIME, ticks);
  return 1;
}

void flow_wake(const uint32_t *word) {
  (void)os_sync_wake_by_address_any((void *)word, sizeof *word, OS_SYNC_WAKE_BY_ADDRESS_NONE);
}
#else
void flow_prefer_promptness(void) {}
void flow_set_niceness(int niceness) {}
int flow_exchange_niceness(int niceness) { return niceness; }
int flow_sleep_until(const uint32_t *word, uint64_t nanoseconds) { return 0; }
void flow_wake(const uint32_t *word) {}
#endif
