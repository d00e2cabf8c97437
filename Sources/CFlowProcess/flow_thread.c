#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "flow_process.h"

#include <pthread.h>
#include <signal.h>

void flow_name_thread(const char *name) {
#ifdef __APPLE__
  pthread_setname_np(name);
#else
  pthread_setname_np(pthread_self(), name);
#endif
}

void flow_hold_signals(sigset_t *before) {
  sigset_t held;
  sigfillset(&held);
  // Those that tell of the thread's own doing, and the profiler's. Also a child's end: where nobody handles it the system
  // drops it, but only if the thread that started the child does not hold it; else another is woken to find nothing.
  const int own[] = {SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV, SIGSYS, SIGPROF, SIGCHLD};
  for (unsigned index = 0; index < sizeof own / sizeof own[0]; index++) sigdelset(&held, own[index]);
  pthread_sigmask(SIG_BLOCK, &held, before);
}
