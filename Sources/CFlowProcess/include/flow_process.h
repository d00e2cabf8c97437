#ifndef FLOW_PROCESS_H
#define FLOW_PROCESS_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>

/// The parameters of a child; it inherits nothing else from this process.
struct flow_spawn_request {
  /// The program; one without a slash is searched in PATH.
  const char *program;
  /// Its arguments, the program's name first, NULL last.
  char *const *arguments;
  /// Its whole environment, NULL last.
  char *const *environment;
  /// The working directory.
  const char *directory;
  /// The descriptors that become 0, 1 and 2 of the child; it inherits no others.
  int input, output, error;
  /// The record to which the child writes the number of its group before it executes the program, or NULL.
  uint64_t *record;
  /// The terminal of this session that the child's group gets in the foreground; -1 for none. Such a child has a group of its
  /// own in this session, since a session of its own would have no terminal.
  int terminal;
  /// The descriptor that becomes FLOW_REPORT_FILE in the child, or -1.
  int report;
};

/// The number of the descriptor for a child's reports, which scripts and shells do not use themselves.
#define FLOW_REPORT_FILE 61

/// Starts a child in a session and a group of its own (but see `terminal`), with no signal blocked and default signal handling, on Linux but for the signals of real time; 0, or
/// the error number of what failed, the program that cannot be executed included.
int flow_spawn(const struct flow_spawn_request *request, pid_t *child);

/// Raises the limit of open descriptors of this process to its maximum (Linux); children keep the original limit.
/// Returns true if there are more now.
int flow_raise_file_limit(void);

/// Makes a group the foreground of a terminal, also if this process is in the background; 0, or an error number.
int flow_set_foreground(int terminal, pid_t group);

/// Sets the modes of a terminal, also if this process is in the background; 0, or an error number.
int flow_set_modes(int terminal, const struct termios *modes);

/// Counts the SIGCONT signals of this process from the first call on, and returns the count.
unsigned flow_continue_count(void);

/// Makes a pipe whose ends, the reading one first, are closed on exec; 0, or an error number.
int flow_pipe(int ends[2]);

/// A descriptor that becomes readable when the child has ended, closed on exec; -1 if the system does not support it.
int flow_watch_exit(pid_t child);

/// Creates a list of descriptors to wait for, closed on exec; -1 with the error in errno.
int flow_ready_open(void);

/// Adds a descriptor, which is reported once, with its token, when it is readable or at its end; 0, or an error number.
int flow_ready_add(int list, int file, uint64_t token);

/// Removes a descriptor, even one that has been reported.
void flow_ready_remove(int list, int file);

/// Waits until one of the descriptors is ready, at most this long (-1: without a limit), and gives the tokens of up to 64 that are;
/// their number, or -1 with the error in errno.
int flow_ready_wait(int list, uint64_t *tokens, int count, int milliseconds);

/// The number of unread bytes in the pipe of this writing end, or -1 if it is unknown.
int flow_unread_bytes(int writing_end);

/// Maps a table of this many records of 8 bytes, which a child sees as the file `file`, closed on exec; NULL with the
/// error in errno. Each record is a line: a group's number, nothing, or `end` behind the last that has been used.
uint64_t *flow_guard_table(int count, int *file);

/// Makes a record the end of the table.
void flow_guard_end(uint64_t *record);

/// Clears the number of a record.
void flow_guard_clear(uint64_t *record);

/// The number in a record, or 0 if it has none.
pid_t flow_guard_group(const uint64_t *record);

/// Writes the number of each of these signals that comes, as a byte, into a pipe instead of acting on it; 0, or an
/// error number.
int flow_take_signals(const int *numbers, int count, int writing_end);

/// The maximum number of processes and threads of this user, or -1 if it is unlimited.
int64_t flow_task_limit(void);

/// The maximum address space of this process in bytes, or -1 if it is unlimited.
int64_t flow_address_space_limit(void);

/// Starts up to 64 threads at once, ends them, and returns the number that the system could create.
int flow_try_threads(int count);

/// Keeps signals that are meant for the process away from the calling thread, and from those it starts; `before` gets the
/// mask as it was.
void flow_hold_signals(sigset_t *before);

/// Returns true if a signal is ignored.
int flow_ignores(int number);

/// Ignores a signal unless it has a handler.
void flow_ignore(int number);

/// In process 1: starts the program with these arguments again as a child, passes signals on to it, collects all processes that
/// end and ends as the child does. Returns in every other process.
void flow_collect_orphans(char *const *arguments);

#endif
