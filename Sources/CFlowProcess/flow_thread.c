#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "flow_process.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

void flow_hold_signals(sigset_t *before) {
  sigset_t held;
  sigfillset(&held);
  // These signals stay unblocked: those caused by the thread itself, the profiler's, and SIGCHLD. The system discards
  // an unhandled SIGCHLD only if the thread that started the child does not block it; otherwise, another thread is
  // woken for nothing.
  const int own[] = {SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV, SIGSYS, SIGPROF, SIGCHLD};
  for (unsigned index = 0; index < sizeof own / sizeof own[0]; index++) sigdelset(&held, own[index]);
  pthread_sigmask(SIG_BLOCK, &held, before);
}

static int64_t limit_of(struct rlimit limit) {
  return limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > INT64_MAX ? -1 : (int64_t)limit.rlim_cur;
}

int64_t flow_task_limit(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_NPROC, &limit) == 0 ? limit_of(limit) : -1;
}

int64_t flow_address_space_limit(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) == 0 ? limit_of(limit) : -1;
}

static void *wait_for_gate(void *gate) {
  pthread_mutex_lock(gate);
  pthread_mutex_unlock(gate);
  return NULL;
}

int flow_try_threads(int count) {
  enum { MOST = 64 };
  pthread_t threads[MOST];
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return 0;
  pthread_attr_setstacksize(&attributes, 1 << 16);
  pthread_mutex_lock(&gate);
  int started = 0;
  while (started < count && started < MOST && pthread_create(&threads[started], &attributes, wait_for_gate, &gate) == 0)
    started++;
  pthread_mutex_unlock(&gate);
  for (int index = 0; index < started; index++) pthread_join(threads[index], NULL);
  pthread_attr_destroy(&attributes);
  return started;
}
