#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "flow_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#ifdef __linux__
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#else
#include <spawn.h>
#include <sys/event.h>
#endif

// Writes the number of a group into its record in the guard's table: digits, spaces and a line break, in one store.
static void note_group(uint64_t *record, pid_t group) {
  if (!record) return;
  char text[8] = "       \n";
  char digits[16];
  int count = 0;
  for (; group > 0 && count < 7; group /= 10) digits[count++] = (char)('0' + group % 10);
  for (int index = 0; index < count; index++) text[index] = digits[count - 1 - index];
  uint64_t value;
  memcpy(&value, text, sizeof value);
  __atomic_store_n(record, value, __ATOMIC_RELEASE);
}

#ifdef __linux__

// The original limit on descriptors, which children receive. Programs that close all possible descriptors, or that use
// select, expect a small limit.
static struct rlimit found_limit;
static int is_limit_raised;

int flow_raise_file_limit(void) {
  struct rlimit limit;
  if (__atomic_load_n(&is_limit_raised, __ATOMIC_ACQUIRE) || getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  if (limit.rlim_cur >= limit.rlim_max) return 0;
  found_limit = limit;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  __atomic_store_n(&is_limit_raised, 1, __ATOMIC_RELEASE);
  return 1;
}

// vfork is used instead of posix_spawn. posix_spawn maps and unmaps a stack for every child, which interrupts other
// processors if the program has several threads, and it reads the state of every signal.

// Copies the path of the first executable file with the program's name in PATH. A name with a slash is copied
// unchanged. Returns 0 or an error number.
static int find_program(const char *program, char path[PATH_MAX]) {
  if (strchr(program, '/')) return snprintf(path, PATH_MAX, "%s", program) < PATH_MAX ? 0 : ENAMETOOLONG;
  const char *folders = getenv("PATH");
  if (!folders) folders = "/bin:/usr/bin";
  for (const char *folder = folders;; folder++) {
    size_t length = strcspn(folder, ":");
    // An empty entry is the working directory.
    int written = length ? snprintf(path, PATH_MAX, "%.*s/%s", (int)length, folder, program)
                         : snprintf(path, PATH_MAX, "./%s", program);
    if (written < PATH_MAX && access(path, X_OK) == 0) return 0;
    folder += length;
    if (!*folder) return ENOENT;
  }
}

// Duplicates `file` to the descriptor `target`, which stays open in the executed program.
static int pass(int file, int target) {
  return file == target ? fcntl(file, F_SETFD, 0) : dup2(file, target);
}

// Closes every descriptor except the first three and the one for reports. If the system does not have close_range, they
// are closed one by one.
static void close_others(int report) {
  struct rlimit limit;
  int first = 3;
  // If the limit on descriptors is small, the number cannot be used, and the child does not report.
  if (report >= 0 && pass(report, FLOW_REPORT_FILE) >= 0) {
    if (close_range(3, FLOW_REPORT_FILE - 1, 0) == 0) first = FLOW_REPORT_FILE + 1;
  } else {
    report = -1;
  }
  if (close_range((unsigned)first, ~0U, 0) == 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  for (int file = first; file < (int)limit.rlim_cur; file++)
    if (report < 0 || file != FLOW_REPORT_FILE) close(file);
}

// Prepares the child and executes the program. Returns the error number of the failed call. The child shares the
// parent's memory, so it may only call functions that are safe in a signal handler.
static int become(const struct flow_spawn_request *request, const char *path) {
  struct sigaction standard = {.sa_handler = SIG_DFL};
  // A signal that is ignored would stay ignored in the program. For the two signals that cannot be changed, the call
  // fails without harm. Real-time signals are not reset, because that would take longer than creating a pipe, so they
  // must not be ignored.
  for (int number = 1; number < 32; number++) sigaction(number, &standard, NULL);
  sigset_t none;
  sigemptyset(&none);
  // In a separate session, the child receives no signals of a terminal, and its descendants can be found by the session
  // even if they create other groups.
  if (request->terminal < 0 ? setsid() < 0 : setpgid(0, 0) != 0) return errno;
  // All signals are blocked here, including SIGTTOU, which would stop this child because it is in the background.
  if (request->terminal >= 0 && tcsetpgrp(request->terminal, getpid()) != 0) return errno;
  // This must happen before the guard's lifeline, which this child has inherited, is closed. So the guard either sees
  // the group, or the program has not started.
  note_group(request->record, getpid());
  if (chdir(request->directory) != 0 || pass(request->input, 0) < 0 ||
      pass(request->output, 1) < 0 || pass(request->error, 2) < 0 || sigprocmask(SIG_SETMASK, &none, NULL) != 0)
    return errno;
  close_others(request->report);
  if (__atomic_load_n(&is_limit_raised, __ATOMIC_ACQUIRE)) setrlimit(RLIMIT_NOFILE, &found_limit);
  execve(path, request->arguments, request->environment);
  return errno;
}

int flow_spawn(const struct flow_spawn_request *request, pid_t *child) {
  char path[PATH_MAX];
  int unknown = find_program(request->program, path);
  if (unknown) return unknown;
  // The child writes the error number into the shared memory.
  volatile int failure = 0;
  // The handlers of this process must not run in the child.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  pid_t number = vfork();
  if (number == 0) {
    failure = become(request, path);
    _exit(127);
  }
  if (number < 0) failure = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (number > 0 && failure) {
    int status;
    while (waitpid(number, &status, 0) < 0 && errno == EINTR) {
    }
  }
  if (!failure) *child = number;
  return failure;
}

#else

// With posix_spawn, a child cannot have another limit than this process.
int flow_raise_file_limit(void) { return 0; }

static int add_actions(posix_spawn_file_actions_t *actions, const struct flow_spawn_request *request) {
  int failure = posix_spawn_file_actions_addchdir_np(actions, request->directory);
  if (!failure) failure = posix_spawn_file_actions_adddup2(actions, request->input, 0);
  if (!failure) failure = posix_spawn_file_actions_adddup2(actions, request->output, 1);
  if (!failure) failure = posix_spawn_file_actions_adddup2(actions, request->error, 2);
  if (!failure && request->report >= 0)
    failure = posix_spawn_file_actions_adddup2(actions, request->report, FLOW_REPORT_FILE);
  return failure;
}

static int set_attributes(posix_spawnattr_t *attributes, const struct flow_spawn_request *request) {
  // The child is suspended until its number is in the guard's table.
  short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_CLOEXEC_DEFAULT |
                POSIX_SPAWN_START_SUSPENDED;
  flags |= request->terminal < 0 ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  int failure = posix_spawnattr_setflags(attributes, flags);
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
    if (!failure) {
      note_group(request->record, *child);
      if (request->terminal >= 0) flow_set_foreground(request->terminal, *child);
      kill(*child, SIGCONT);
    }
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}

#endif

int flow_pipe(int ends[2]) {
#ifdef __linux__
  return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
#else
  // Children receive only the descriptors that are passed to them, so the time between the two calls does no harm.
  if (pipe(ends) != 0) return errno;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  return 0;
#endif
}

int flow_watch_exit(pid_t child) {
#if defined(__linux__) && defined(SYS_pidfd_open)
  return (int)syscall(SYS_pidfd_open, child, 0);  // close-on-exec by definition
#elif defined(__APPLE__)
  // A kqueue is a descriptor that becomes readable.
  int queue = kqueue();
  if (queue < 0) return -1;
  fcntl(queue, F_SETFD, FD_CLOEXEC);
  struct kevent change;
  EV_SET(&change, child, EVFILT_PROC, EV_ADD, NOTE_EXIT, 0, NULL);
  if (kevent(queue, &change, 1, NULL, 0, NULL) == 0) return queue;
  close(queue);
  return -1;
#else
  (void)child;
  return -1;
#endif
}

int flow_unread_bytes(int writing_end) {
  int count = 0;
  return ioctl(writing_end, FIONREAD, &count) == 0 ? count : -1;
}
