#ifndef PLANTED_FAULT_H
#define PLANTED_FAULT_H

#include <stdint.h>

/// Returns the next number. Overflows for the greatest number, which `scripts/sanitize undefined` must report.
int32_t planted_overflow(int32_t number);

#endif
