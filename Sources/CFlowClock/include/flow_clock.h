#ifndef FLOW_CLOCK_H
#define FLOW_CLOCK_H

#include <stdint.h>

/// Returns the value of the processor's counter, which has a constant rate, or 0 if there is none. Reading it takes a
/// third of the time of asking the system for the time. The caller must determine the duration of a tick.
static inline uint64_t flow_cycle_count(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t count;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
#else
  return 0;
#endif
}

/// Asks the scheduler to run the calling thread as soon as it wakes, before threads that compute. The thread must not
/// need more than a tenth of a millisecond at a time. Has no effect on Linux before 6.12 and on other systems.
void flow_prefer_promptness(void);

/// Sets the niceness of the calling thread, from -20 to 19. Has no effect without permission, or if the system cannot
/// set it for a single thread.
void flow_set_niceness(int niceness);

/// Sets the niceness of the calling thread in the same way as `flow_set_niceness`, and returns its previous niceness.
int flow_exchange_niceness(int niceness);

/// Sleeps until a time on the monotonic clock, in nanoseconds, or until `*word` is not 0 and `flow_wake` is called. May
/// return early for no reason. Returns 0 at once if the system does not support it, and 1 otherwise.
int flow_sleep_until(const uint32_t *word, uint64_t nanoseconds);

/// Wakes the thread that sleeps in `flow_sleep_until` with this word.
void flow_wake(const uint32_t *word);

#endif
