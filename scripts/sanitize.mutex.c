// Preloaded into tests under ThreadSanitizer. Reports the synchronization in the slow paths of Swift's Mutex, which are in a
// library that is not instrumented. The fast paths are compiled into flowrun and instrumented.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SELF __attribute__((swift_context)) void *self
#define SWIFT __attribute__((swiftcall))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

typedef SWIFT void Lock(uint32_t thread, SELF);
typedef SWIFT bool Try(SELF);
typedef SWIFT void Unlock(SELF);

SWIFT void lockSlow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool tryLockSlow(SELF) __asm__(TRY);
SWIFT void unlockSlow(SELF) __asm__(UNLOCK);

static Lock *lock;
static Try *try;
static Unlock *unlock;

__attribute__((constructor)) static void find(void) {
  lock = (Lock *)dlsym(RTLD_NEXT, LOCK);
  try = (Try *)dlsym(RTLD_NEXT, TRY);
  unlock = (Unlock *)dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void lockSlow(uint32_t thread, SELF) {
  lock(thread, self);
  if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT bool tryLockSlow(SELF) {
  bool isLocked = try(self);
  if (isLocked && __tsan_acquire) __tsan_acquire(self);
  return isLocked;
}

SWIFT void unlockSlow(SELF) {
  if (__tsan_release) __tsan_release(self);
  unlock(self);
}
