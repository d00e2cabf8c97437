#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

/// Sets an option of a connection that is on or off: Swift cannot call a function with a list of arguments. SQLite's result
/// code.
static inline int flow_sqlite_configure(sqlite3 *handle, int option, int is_on) {
  return sqlite3_db_config(handle, option, is_on, (int *)0);
}

/// SQLite's own open file behind a connection; 0 where there is none. Anyone who opened the file once more and closed
/// it would give away the locks that this process has on it.
static inline sqlite3_file *flow_sqlite_file(sqlite3 *handle) {
  sqlite3_file *file = 0;
  if (sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return 0;
  return file != 0 && file->pMethods != 0 ? file : 0;
}

/// Waits until the disk has the main file of a connection. SQLite's result code.
static inline int flow_sqlite_sync(sqlite3 *handle) {
  sqlite3_file *file = flow_sqlite_file(handle);
  return file == 0 ? SQLITE_OK : file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
}

/// Reads the first bytes of the main file of a connection, whatever its log says. SQLite's result code.
static inline int flow_sqlite_read(sqlite3 *handle, void *bytes, int count) {
  sqlite3_file *file = flow_sqlite_file(handle);
  return file == 0 ? SQLITE_IOERR_READ : file->pMethods->xRead(file, bytes, count, 0);
}

/// Changes the owner of an open file, unless it is the right one already.
static inline int flow_change_owner(int file, uid_t user, gid_t group) {
  struct stat status;
  if (fstat(file, &status) == 0 && status.st_uid == user && status.st_gid == group) return 0;
  return fchown(file, user, group);
}

/// Makes SQLite leave the owner of a log alone where it is right. Run by root, SQLite sets the owner of each log that it
/// opens, which changes the file's time of change.
static inline void flow_sqlite_keep_owner(void) {
  sqlite3_vfs *system = sqlite3_vfs_find("unix");
  if (system == 0 || system->iVersion < 3) return;
  system->xSetSystemCall(system, "fchown", (sqlite3_syscall_ptr)flow_change_owner);
}
