#pragma once

/// The number of memory allocations of this process so far. Always 0 if they cannot be counted.
unsigned long allocation_count(void);
