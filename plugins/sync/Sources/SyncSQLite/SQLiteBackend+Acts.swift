import GRDB
import SyncCore

/// The acts that zones have taken, so that each counts once for ever.
extension SQLiteBackend {
  /// What a zone knows of an act.
  static func taken(_ name: ActName, _ zone: String, _ database: Database) throws -> TakenAct {
    let checks = try Int64.fetchAll(
      database.cachedStatement(
        sql: "SELECT checksum FROM act WHERE zone = ? AND device = ? AND incarnation = ? AND number = ?"),
      arguments: [zone, name.dot.device.name, Int64(bitPattern: name.incarnation), name.dot.number])
    let givenBack = try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT number FROM given_back WHERE zone = ? AND device = ?"),
      arguments: [zone, name.dot.device.name])
    return TakenAct(
      checks: checks.map { UInt32(truncatingIfNeeded: $0) }, givenBack: givenBack, number: name.dot.number)
  }

  /// Keeps what a change has taken.
  static func keep(_ names: TakenNames, _ zone: String, _ database: Database) throws {
    for act in names.acts {
      try database.cachedStatement(sql: "INSERT INTO act VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
        .execute(
          arguments: [
            zone, act.name.dot.device.name, Int64(bitPattern: act.name.incarnation), act.name.dot.number,
            Int64(act.check),
          ])
    }
    for dot in names.givenBack {
      try database.cachedStatement(
        sql: """
          INSERT INTO given_back VALUES (?, ?, ?) ON CONFLICT (zone, device)
          DO UPDATE SET number = max(number, excluded.number)
          """
      ).execute(arguments: [zone, dot.device.name, dot.number])
    }
  }
}
