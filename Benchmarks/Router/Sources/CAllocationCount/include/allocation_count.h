#pragma once

/// How many times memory was allocated by this process so far; always 0 where malloc cannot be counted.
unsigned long allocation_count(void);
