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

#endif
