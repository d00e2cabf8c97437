#include <sqlite3.h>

/// Keeps closing a connection from copying the log into the file; the option takes a list of arguments that Swift has no
/// word for.
static inline int flow_sqlite_keep_log(sqlite3 *handle) {
  return sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
