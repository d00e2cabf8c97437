#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "flow_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

// Set before the handlers that use it are installed.
static int signal_pipe = -1;

static void pass_on(int number) {
  int before = errno;
  unsigned char byte = (unsigned char)number;
  // If the pipe is full, enough signals are waiting in it.
  ssize_t written = write(signal_pipe, &byte, 1);
  (void)written;
  errno = before;
}

int flow_take_signals(const int *numbers, int count, int writing_end) {
  signal_pipe = writing_end;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = pass_on;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);
  for (int index = 0; index < count; index++)
    if (sigaction(numbers[index], &action, NULL) != 0) return errno;
  // The process that started this one may have blocked these signals.
  sigset_t taken;
  sigemptyset(&taken);
  for (int index = 0; index < count; index++) sigaddset(&taken, numbers[index]);
  return sigprocmask(SIG_UNBLOCK, &taken, NULL) == 0 ? 0 : errno;
}

int flow_ignores(int number) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void flow_ignore(int number) {
  struct sigaction action;
  if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_DFL) signal(number, SIG_IGN);
}
