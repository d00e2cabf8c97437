import FlowSQLite
import FlowPlatform
import SyncCore

extension SQLiteBackend {
  /// Puts the records that an earlier version kept into the form of this one; part of bringing the tables up to date.
  static func convert(_ database: SQLiteConnection, from format: Int) throws {
    if format == 0 { return }
    let old = try database.all(
      "SELECT zone, type, name, cell FROM record WHERE substr(cell, 1, 1) <> ? OR type GLOB 'CD_*'",
      [.bytes([Cell.packingFormat])]
    ) { (zone: $0.text(0), key: RecordKey(type: $0.text(1), name: $0.text(2)), cell: $0.bytes(3)) }
    for (zone, key, bytes) in old {
      let converted = try OldCell.converted(key, packed: bytes)
      try database.run(
        "UPDATE record SET type = ?, cell = ? WHERE zone = ? AND type = ? AND name = ?",
        [
          .text(converted.key.type), .bytes(converted.cell.packed()), .text(zone), .text(key.type), .text(key.name),
        ])
    }
    try database.execute(
      "DELETE FROM collection; INSERT INTO collection SELECT zone, type, count(*) FROM record GROUP BY zone, type")
  }
}

extension SQLiteConnection {
  /// Keeps a file of an earlier version as it is under the name `….before-conversion`, unless there is such a copy.
  func keepCopy(of path: String) throws {
    let copy = path + ".before-conversion"
    if path == ":memory:" || FilePath.exists(copy) { return }
    // Whole or not at all, whenever the process or the power ends.
    let part = "\(copy)-\(getpid())"
    unlink(part)
    FileLock.make(part)
    try run("VACUUM INTO ?", [.text(part)])
    defer { unlink(part) }
    // Another process may have made it meanwhile, and have converted the file since.
    if link(part, copy) != 0, errno != EEXIST {
      let reason = String(cString: strerror(errno))
      throw NoCopy(description: "the copy '\(copy)' cannot be made (\(reason)), and without it nothing is converted")
    }
  }

  private struct NoCopy: Error, CustomStringConvertible {
    var description: String
  }
}
