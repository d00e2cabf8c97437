#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "flow_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

static int add_actions(posix_spawn_file_actions_t *actions, const struct flow_spawn_request *request) {
  int failure = posix_spawn_file_actions_addchdir_np(actions, request->directory);
  if (!failure) failure = posix_spawn_file_actions_adddup2(actions, request->input, 0);
  if (!failure) failure = posix_spawn_file_actions_adddup2(actions, request->output, 1);
  if (!failure) failure = posix_spawn_file_actions_adddup2(actions, request->error, 2);
#ifdef __linux__
  if (!failure) failure = posix_spawn_file_actions_addclosefrom_np(actions, 3);
#endif
  return failure;
}

static int set_attributes(posix_spawnattr_t *attributes, const struct flow_spawn_request *request) {
  short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
#ifdef __APPLE__
  flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#endif
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  int failure = posix_spawnattr_setflags(attributes, flags);
  if (!failure) failure = posix_spawnattr_setpgroup(attributes, request->group);
  if (!failure) failure = posix_spawnattr_setsigmask(attributes, &none);
  if (!failure) failure = posix_spawnattr_setsigdefault(attributes, &all);
  return failure;
}

int flow_spawn(const struct flow_spawn_request *request, pid_t *child) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int failure = posix_spawn_file_actions_init(&actions);
  if (failure) return failure;
  failure = posix_spawnattr_init(&attributes);
  if (!failure) {
    failure = add_actions(&actions, request);
    if (!failure) failure = set_attributes(&attributes, request);
    if (!failure)
      failure = posix_spawnp(
          child, request->program, &actions, &attributes, request->arguments, request->environment);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}

int flow_pipe(int ends[2]) {
#ifdef __linux__
  return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
#else
  // Children get no descriptor here but those they are given, so the moment between the calls does no harm.
  if (pipe(ends) != 0) return errno;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  return 0;
#endif
}

int flow_watch_exit(pid_t child) {
#if defined(__linux__) && defined(SYS_pidfd_open)
  return (int)syscall(SYS_pidfd_open, child, 0);  // close-on-exec by definition
#else
  (void)child;
  return -1;
#endif
}

int flow_unread_bytes(int writing_end) {
  int count = 0;
  return ioctl(writing_end, FIONREAD, &count) == 0 ? count : -1;
}
