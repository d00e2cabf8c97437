#include "planted_fault.h"

int32_t planted_overflow(int32_t number) { return number + 1; }
