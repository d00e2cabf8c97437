#ifndef FLOW_PROCESS_H
#define FLOW_PROCESS_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>

/// The parameters of a child process. It inherits nothing else from this process.
struct flow_spawn_request {
  /// The program. If the name contains no slash, PATH is searched for it.
  const char *program;
  /// The arguments, beginning with the program's name and ending with NULL.
  char *const *arguments;
  /// The whole environment, ending with NULL.
  char *const *environment;
  /// The working directory.
  const char *directory;
  /// The descriptors that become 0, 1 and 2 in the child. It inherits no other descriptors.
  int input, output, error;
  /// The record to which the child writes the number of its group before it executes the program, or NULL.
  uint64_t *record;
  /// The terminal of this session in whose foreground the child's group runs, or -1. With a terminal, the child has a
  /// separate group but stays in this session, because a new session would have no terminal.
  int terminal;
  /// The descriptor that becomes FLOW_REPORT_FILE in the child, or -1.
  int report;
};

/// The number of the descriptor for reports of a child. It was chosen because scripts and shells do not use it.
#define FLOW_REPORT_FILE 61

/// Starts a child in a separate session and group; `terminal` changes that. No signal is blocked in the child, and all
/// signals have their default handling, except for real-time signals on Linux. Returns 0 or the error number of the
/// failed call, for example if the program cannot be executed.
int flow_spawn(const struct flow_spawn_request *request, pid_t *child);

/// Raises the limit on open descriptors of this process to its maximum (Linux only). Children keep the original limit.
/// Returns 1 if the limit was raised, otherwise 0.
int flow_raise_file_limit(void);

/// Makes a group the foreground group of a terminal, even if this process is in the background. Returns 0 or an error
/// number.
int flow_set_foreground(int terminal, pid_t group);

/// Sets the modes of a terminal, even if this process is in the background. Returns 0 or an error number.
int flow_set_modes(int terminal, const struct termios *modes);

/// Returns the number of SIGCONT signals that this process has received since the first call.
unsigned flow_continue_count(void);

/// Creates a pipe. `ends` receives the reading end and the writing end, both closed on exec. Returns 0 or an error
/// number.
int flow_pipe(int ends[2]);

/// Returns a descriptor that becomes readable when the child has ended, or -1 if the system does not support that. The
/// descriptor is closed on exec.
int flow_watch_exit(pid_t child);

/// Creates a list of descriptors to wait for, which is closed on exec. Returns -1 on failure, with the error in errno.
int flow_ready_open(void);

/// Adds a descriptor to a list. The descriptor is reported once, with its token, when it can be read or is at its end.
/// Returns 0 or an error number.
int flow_ready_add(int list, int file, uint64_t token);

/// Removes a descriptor from a list, even if it has been reported.
void flow_ready_remove(int list, int file);

/// Waits until a descriptor is ready, for at most `milliseconds`, or without a limit if that is -1. Stores the tokens
/// of up to `count` ready descriptors, but at most 64. Returns their number, or -1 with the error in errno.
int flow_ready_wait(int list, uint64_t *tokens, int count, int milliseconds);

/// Returns the number of unread bytes in a pipe, given its writing end, or -1 if it is unknown.
int flow_unread_bytes(int writing_end);

/// Maps a table of `count` records of 8 bytes. A child reads it as the file `file`, which is closed on exec. Returns
/// NULL on failure, with the error in errno. Each record is a line with the number of a group, an empty line, or `end`
/// after the last record in use.
uint64_t *flow_guard_table(int count, int *file);

/// Makes the record the end of the table.
void flow_guard_end(uint64_t *record);

/// Removes the number from the record.
void flow_guard_clear(uint64_t *record);

/// Returns the number in the record, or 0 if it has none.
pid_t flow_guard_group(const uint64_t *record);

/// Makes each of these signals write its number as a byte to a pipe, instead of having its usual effect. Returns 0 or
/// an error number.
int flow_take_signals(const int *numbers, int count, int writing_end);

/// Returns the maximum number of processes and threads of this user, or -1 if it is unlimited.
int64_t flow_task_limit(void);

/// Returns the maximum address space of this process in bytes, or -1 if it is unlimited.
int64_t flow_address_space_limit(void);

/// Starts up to 64 threads at the same time and ends them. Returns the number of threads that the system could create.
int flow_try_threads(int count);

/// Blocks the signals that are sent to the process in the calling thread and in the threads that it starts. `before`
/// receives the previous mask.
void flow_hold_signals(sigset_t *before);

/// Returns 1 if the signal is ignored, otherwise 0.
int flow_ignores(int number);

/// Ignores the signal, unless it has a handler.
void flow_ignore(int number);

/// In process 1, starts the program again as a child with these arguments, passes signals on to it, reaps all processes
/// that end, and exits with the status of the child. In any other process, returns.
void flow_collect_orphans(char *const *arguments);

#endif
