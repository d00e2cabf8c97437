import FlowSQLite
import SyncCore

/// Stores the acts that zones have accepted, so that each act is counted only once.
extension SQLiteBackend {
  static func taken(_ name: ActName, _ zone: String, _ database: SQLiteConnection) throws -> TakenAct {
    let device = SQLiteValue.text(name.dot.device.name)
    let checks = try database.all(
      "SELECT checksum FROM act WHERE zone = ? AND device = ? AND incarnation = ? AND number = ?",
      [.text(zone), device, .integer(Int64(bitPattern: name.incarnation)), .integer(name.dot.number)]
    ) { UInt32(truncatingIfNeeded: $0.int64(0)) }
    let givenBack = try database.first(
      "SELECT number FROM given_back WHERE zone = ? AND device = ?", [.text(zone), device]
    ) { $0.int64(0) }
    return TakenAct(checks: checks, givenBack: givenBack, number: name.dot.number)
  }

  /// Stores the names of acts that a change contains.
  static func keep(_ names: TakenNames, _ zone: String, _ database: SQLiteConnection) throws {
    for act in names.acts {
      try database.run(
        "INSERT INTO act VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [
          .text(zone), .text(act.name.dot.device.name), .integer(Int64(bitPattern: act.name.incarnation)),
          .integer(act.name.dot.number), .integer(Int64(act.check)),
        ])
    }
    for dot in names.givenBack {
      try database.run(
        """
        INSERT INTO given_back VALUES (?, ?, ?) ON CONFLICT (zone, device)
        DO UPDATE SET number = max(number, excluded.number)
        """, [.text(zone), .text(dot.device.name), .integer(dot.number)])
    }
  }
}
