#ifndef FLOW_CLOCK_H
#define FLOW_CLOCK_H

#include <stdint.h>

/// Returns the processor's counter of constant rate, or 0 if it has none. Reading it takes a third of the time of
/// asking the system for the time. The caller must determine the duration of a tick.
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

/// Asks the scheduler to run the calling thread as soon as it wakes, before threads that compute, because it never
/// needs more than a tenth of a millisecond at a time. Has no effect on Linux before 6.12 and on other systems.
void flow_prefer_promptness(void);

/// Sets the niceness of the calling thread, from -20 to 19. Has no effect without permission, or if the system does not
/// support this per thread.
void flow_set_niceness(int niceness);

/// Sets the niceness of the calling thread, like `flow_set_niceness`, and returns the one that it had.
int flow_exchange_niceness(int niceness);

/// Sleeps until an instant of the monotonic clock, in nanoseconds, or until the word is no longer 0 and has been woken.
/// May return early for no reason. Returns 0 at once where the system cannot do it, and 1 otherwise.
int flow_sleep_until(const uint32_t *word, uint64_t nanoseconds);

/// Wakes the thread that sleeps on the word.
void flow_wake(const uint32_t *word);

#endif
