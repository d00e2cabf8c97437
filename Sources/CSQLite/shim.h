#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

/// Turns an option of a connection on or off. Swift cannot call the variadic function of SQLite. Returns SQLite's
/// result code.
static inline int flow_sqlite_configure(sqlite3 *handle, int option, int is_on) {
  return sqlite3_db_config(handle, option, is_on, (int *)0);
}

/// Returns SQLite's own open file of a connection, or 0 if there is none. If the file were opened again and closed,
/// this process would lose its locks on it.
static inline sqlite3_file *flow_sqlite_file(sqlite3 *handle) {
  sqlite3_file *file = 0;
  if (sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return 0;
  return file != 0 && file->pMethods != 0 ? file : 0;
}

/// Waits until the main file of a connection is on disk. Returns SQLite's result code.
static inline int flow_sqlite_sync(sqlite3 *handle) {
  sqlite3_file *file = flow_sqlite_file(handle);
  return file == 0 ? SQLITE_OK : file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
}

/// Reads the first bytes of the main file of a connection, ignoring its log. Returns SQLite's result code.
static inline int flow_sqlite_read(sqlite3 *handle, void *bytes, int count) {
  sqlite3_file *file = flow_sqlite_file(handle);
  return file == 0 ? SQLITE_IOERR_READ : file->pMethods->xRead(file, bytes, count, 0);
}

/// Changes the owner of an open file, unless it is already correct.
static inline int flow_change_owner(int file, uid_t user, gid_t group) {
  struct stat status;
  if (fstat(file, &status) == 0 && status.st_uid == user && status.st_gid == group) return 0;
  return fchown(file, user, group);
}

/// Makes SQLite leave the owner of a log unchanged if it is correct. As root, SQLite sets the owner of each log that it
/// opens, which changes the status change time of the file.
static inline void flow_sqlite_keep_owner(void) {
  sqlite3_vfs *system = sqlite3_vfs_find("unix");
  if (system == 0 || system->iVersion < 3) return;
  system->xSetSystemCall(system, "fchown", (sqlite3_syscall_ptr)flow_change_owner);
}
