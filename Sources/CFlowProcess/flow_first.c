#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "flow_process.h"

#ifdef __linux__

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

void flow_collect_orphans(char *const *arguments) {
  if (getpid() != 1) return;
  static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT};
  sigset_t taken, before;
  sigemptyset(&taken);
  sigaddset(&taken, SIGCHLD);
  for (unsigned index = 0; index < sizeof passed_on / sizeof *passed_on; index++) sigaddset(&taken, passed_on[index]);
  sigprocmask(SIG_BLOCK, &taken, &before);
  posix_spawnattr_t attributes;
  pid_t child = 0;
  int failure = posix_spawnattr_init(&attributes);
  if (!failure) {
    posix_spawnattr_setsigmask(&attributes, &before);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    failure = posix_spawn(&child, "/proc/self/exe", NULL, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
  }
  if (failure) {
    // Without /proc, this process continues as usual and does not reap orphaned processes.
    sigprocmask(SIG_SETMASK, &before, NULL);
    return;
  }
  for (;;) {
    int number = 0, status = 0;
    if (sigwait(&taken, &number)) continue;
    if (number != SIGCHLD) {
      kill(child, number);
      continue;
    }
    pid_t ended;
    while ((ended = waitpid(-1, &status, WNOHANG)) > 0)
      if (ended == child) _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
  }
}

#else

void flow_collect_orphans(char *const *arguments) { (void)arguments; }

#endif
