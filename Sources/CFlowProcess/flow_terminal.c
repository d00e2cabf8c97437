#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "flow_process.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

// SIGTTOU stops a background process that changes its terminal, unless the signal is blocked.
static void hold_stop(sigset_t *before) {
  sigset_t held;
  sigemptyset(&held);
  sigaddset(&held, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &held, before);
}

int flow_set_foreground(int terminal, pid_t group) {
  sigset_t before;
  hold_stop(&before);
  int failure = tcsetpgrp(terminal, group) == 0 ? 0 : errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return failure;
}

int flow_set_modes(int terminal, const struct termios *modes) {
  sigset_t before;
  hold_stop(&before);
  int failure = tcsetattr(terminal, TCSANOW, modes) == 0 ? 0 : errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return failure;
}

static unsigned continue_count;
static int counts_continues;

static void count_continue(int number) {
  (void)number;
  __atomic_add_fetch(&continue_count, 1, __ATOMIC_RELAXED);
}

unsigned flow_continue_count(void) {
  if (!__atomic_exchange_n(&counts_continues, 1, __ATOMIC_RELAXED)) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = count_continue;
    action.sa_flags = SA_RESTART;
    sigaction(SIGCONT, &action, NULL);
  }
  return __atomic_load_n(&continue_count, __ATOMIC_RELAXED);
}
