#ifndef FLOW_CLOCK_H
#define FLOW_CLOCK_H

#include <stdint.h>

/// The processor's counter of constant rate, or 0 where there is none: a third of the cost of asking the system for the
/// time. What a tick is worth is for the caller to find out.
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

/// Asks the scheduler to run the calling thread as soon as it wakes, before threads that compute: it will only ever need
/// a tenth of a millisecond at a time. Without effect where the system knows no such wish (Linux before 6.12, others).
void flow_prefer_promptness(void);

/// Sets the niceness of the calling thread, from -20 to 19. Has no effect without permission, or if the system has no
/// niceness of threads.
void flow_set_niceness(int niceness);

/// Sleeps until an instant of the monotonic clock, in nanoseconds, or until the word is no longer 0 and has been woken.
/// May return early for no reason. Returns 0 at once where the system cannot do it, and 1 otherwise.
int flow_sleep_until(const uint32_t *word, uint64_t nanoseconds);

/// Wakes the thread that sleeps on the word.
void flow_wake(const uint32_t *word);

#endif
