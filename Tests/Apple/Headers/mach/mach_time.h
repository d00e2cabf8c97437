#pragma once
#include <stdint.h>
typedef struct {
  uint32_t numer, denom;
} mach_timebase_info_data_t;
int mach_timebase_info(mach_timebase_info_data_t *information);
uint64_t mach_absolute_time(void);
