import CFlowStore
import FlowPlatform
import FlowSQLite
import FlowStore

// The last process that releases a store copies the log into the main file, so that a store that is not in use consists
// of its main file.
//
// The copy does not wait for the disk, which would take longer than everything else in a short run. But a store must
// still be intact after a power failure. Until the log is restarted, which waits for the disk, all copied pages are
// also in the log. So it is enough that the log reaches the disk before the copied pages. If a durable run has used the
// store, the log is flushed first, unless the durable run has done so. Otherwise, the system is asked to start writing
// the log; it writes the pages some seconds later.
//
// If another process shared memory with the connection that copied the log, SQLite would allow the next writer to
// restart the log at once. So a process copies the log only while no other one has the store open, and no process can
// open it until the connection is closed.
extension SQLiteRunStore {
  /// The byte of the lock file on which all processes that have the store open have a shared lock. Numbers of runs have
  /// 31 bits, so no run uses it.
  private static let openByte: Int64 = 1 << 40

  /// Waits until no process is copying the log, and then takes the shared lock. The wait ends after 0.1 s, in case a
  /// process was suspended while copying.
  static func enter(_ recordFile: borrowing Descriptor) {
    guard recordFile.number >= 0 else { return }
    for _ in 0..<500 {
      guard flow_share_byte(recordFile.number, openByte) == 1 else { return }
      usleep(200)
    }
  }

  /// Closes the connection. If no other process has the store open, copies the log first.
  static func leave(_ path: String, _ recordFile: borrowing Descriptor, _ connection: SQLiteConnection) {
    defer { connection.close() }
    guard recordFile.number >= 0, StoreRecord.read(recordFile).copiedLog != StoreStamps(of: path).log else { return }
    defer { flow_release_byte(recordFile.number, openByte) }
    if !connection.isReadOnly, flow_lock_byte(recordFile.number, openByte) == 0 {
      copyLog(of: path, recordFile, connection)
      return connection.close()
    }
    // If several processes leave at the same time, the last one that closes its connection copies the log.
    connection.close()
    flow_release_byte(recordFile.number, openByte)
    guard flow_lock_byte(recordFile.number, openByte) == 0,
      StoreRecord.read(recordFile).copiedLog != StoreStamps(of: path).log,
      let fresh = try? SQLiteConnection(path, readOnly: false)
    else { return }
    copyLog(of: path, recordFile, fresh)
    fresh.close()
  }

  /// Copies the log of a store that no other process has open, and records that. If this fails, the log is unchanged.
  private static func copyLog(of path: String, _ recordFile: borrowing Descriptor, _ connection: SQLiteConnection) {
    let before = StoreStamps(of: path)
    var record = StoreRecord.read(recordFile)
    let isIntact = record.stamps == before
    let log = Descriptor(FlowPlatform.open(path + "-wal", O_RDWR | O_CLOEXEC))
    guard log.number >= 0 else { return }
    if record.durableSalt == 0 {
      flow_start_writing(log.number)
    } else {
      let frames = UInt32(connection.logFrames)
      let isFlushed =
        frames > 0 && frames == record.durableFrames
        && flow_log_frame_salt(log.number, frames) == record.durableSalt
      guard isFlushed || fsync(log.number) == 0 else { return }
    }
    let frames = UInt32(connection.copyLogUnflushed())
    guard frames > 0 else { return }
    let after = StoreStamps(of: path)
    if isIntact { record.stamps = after }
    record.node = FileIdentity(path)?.number ?? 0
    (record.copiedSalt, record.copiedFrames) = (flow_log_salt(log.number), frames)
    record.copiedLog = after.log
    // If a durable run has used the store, the whole log is on disk.
    if record.durableSalt != 0 { (record.durableSalt, record.durableFrames) = (record.copiedSalt, frames) }
    record.write(to: recordFile)
  }
}
