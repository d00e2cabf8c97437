import FlowPlatform
import FlowSQLite
import FlowStore

// This file copies a store, and returns the disk space of removed runs.
extension SQLiteRunStore {
  /// Writes a copy of the store to a new file that only its owner can read. Runs may continue during the copy.
  package func backUp(to file: String) throws(StoreProblem) {
    try checkWhole()
    let fresh = file + ".new"
    func fail(_ cause: String) -> StoreProblem { .unusable(path: file, cause: cause) }
    guard access(file, F_OK) != 0 else { throw fail("it exists; name a new file") }
    do {
      let made = Descriptor(FlowPlatform.open(fresh, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600))
      guard made.number >= 0 else { throw fail(SystemError.reason(errno)) }
    }
    defer { for end in ["", "-journal", "-wal", "-shm"] { unlink(fresh + end) } }
    try withConnection { connection throws(StoreProblem) in
      try connection.run("VACUUM INTO ?", [.text(fresh)])
    }
    do {
      // A store in use has a log, so the copy gets one. The log is removed when this connection is closed.
      let copy = try FlowSQLite.SQLiteConnection(fresh, .readWrite)
      try copy.execute("PRAGMA journal_mode = WAL")
    } catch {
      throw fail("\(error)")
    }
    let written = Descriptor(FlowPlatform.open(fresh, O_RDWR | O_CLOEXEC))
    guard written.number >= 0, fsync(written.number) == 0 else { throw fail(SystemError.reason(errno)) }
    // Unlike a rename, a link does not replace a file that was created in the meantime.
    guard link(fresh, file) == 0 || (errno != EEXIST && rename(fresh, file) == 0) else {
      throw fail(SystemError.reason(errno))
    }
    let folder = Descriptor(FlowPlatform.open(Self.folder(of: file), O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    if folder.number >= 0 { fsync(folder.number) }
  }

  /// Returns the disk space of removed runs to the file system. Writes of other processes wait until this is done.
  package func compact() throws(StoreProblem) {
    try change(isDurable: true) { connection throws(StoreProblem) in
      guard try connection.integer("PRAGMA freelist_count") > 0 else { return }
      try connection.execute("VACUUM")
      connection.emptyLog()
    }
  }
}
