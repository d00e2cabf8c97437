import FlowDiagnostics
import SyncDevice
import SyncRecords
import SyncSQLite

extension SyncReports {
  /// Returns the problem with a `sync.query` statement on the collections of a schema, or nil if it is valid.
  package static func problem(withQuery sql: String, _ schema: RecordSchema) -> RecordProblem? {
    guard let reason = RecordQuery.problem(with: sql, over: schema.tables) else { return nil }
    let views = schema.collections.map(\.name)
    func name(behind prefix: String) -> String? {
      guard reason.hasPrefix(prefix) else { return nil }
      // In `n.title`, `n` is an alias of a table.
      return reason.dropFirst(prefix.count).split(separator: ".").last.map(String.init)
    }
    if let table = name(behind: "no such table: ") {
      let help = NearestName.question(table, among: views) ?? "there are \(views.joined(separator: ", "))"
      return RecordProblem("the schema '\(schema.name)' has no collection '\(table)'", help: help)
    }
    if let column = name(behind: "no such column: ") {
      let columns = ["_key", "_changed", "_by", "_decided"] + schema.collections.flatMap { $0.fields.map(\.name) }
      return RecordProblem(
        "no collection that is read there has a column '\(column)'", help: NearestName.question(column, among: columns))
    }
    return RecordProblem("the SQL is wrong: \(reason)")
  }
}
