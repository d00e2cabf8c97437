#ifndef FLOW_PROCESS_H
#define FLOW_PROCESS_H

#include <sys/types.h>

/// What a child is given; nothing else of this process reaches it.
struct flow_spawn_request {
  /// The program; one without a slash is looked up in PATH.
  const char *program;
  /// Its arguments, the program's name first, NULL last.
  char *const *arguments;
  /// Its whole environment, NULL last.
  char *const *environment;
  /// The folder it starts in.
  const char *directory;
  /// The descriptors that become its 0, 1 and 2; no other one stays open.
  int input, output, error;
  /// The process group it joins; 0 makes one of its own.
  pid_t group;
};

/// Starts a child with no signal blocked and default signal handling, on Linux but for the signals of real time; 0, or
/// the error number of what failed, the program that cannot be executed included.
int flow_spawn(const struct flow_spawn_request *request, pid_t *child);

/// Makes a pipe whose ends, the reading one first, are closed on exec; 0, or an error number.
int flow_pipe(int ends[2]);

/// A descriptor that becomes readable when the child has ended, closed on exec; -1 where there is none.
int flow_watch_exit(pid_t child);

/// How many bytes lie unread in the pipe behind its writing end; -1 where that cannot be known.
int flow_unread_bytes(int writing_end);

#endif
