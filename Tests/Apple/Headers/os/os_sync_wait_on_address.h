#pragma once
#include <stddef.h>
#include <stdint.h>
enum { OS_SYNC_WAIT_ON_ADDRESS_NONE = 0, OS_SYNC_WAKE_BY_ADDRESS_NONE = 0, OS_CLOCK_MACH_ABSOLUTE_TIME = 32 };
int os_sync_wait_on_address_with_deadline(
    void *address, uint64_t value, size_t size, uint32_t flags, uint32_t clock, uint64_t deadline);
int os_sync_wake_by_address_any(void *address, size_t size, uint32_t flags);
