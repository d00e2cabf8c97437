#ifndef PLANTED_FAULT_H
#define PLANTED_FAULT_H

#include <stdint.h>

/// Overflows for the greatest number, which `scripts/sanitize undefined` must find.
int32_t planted_overflow(int32_t number);

#endif
