import CSQLite
import SyncCore

/// Reads what a device's file shows, with SQL that can do nothing else: a connection that only reads, and an authorizer
/// that lets it see the views alone.
public struct RecordQuery: Sendable {
  private let path: String
  private let views: Set<String>

  /// The most rows that a query gives.
  public static let rowLimit = 100_000

  /// Reads the views with these names.
  public init(path: String, views: [String]) {
    self.path = path
    self.views = Set(views)
  }

  /// Why a query gave nothing.
  public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong with it, for a person.
    public var description: String
  }

  /// What a query gave.
  public struct Rows: Hashable, Sendable {
    /// The columns' names.
    public var columns: [String]
    /// The rows, each with a value a column.
    public var rows: [[Scalar]]
  }

  /// Runs one statement; `values` stand for its parameters `:name`, or in order for `?`.
  public func run(
    _ sql: String, named: [String: Scalar] = [:], ordered: [Scalar] = [], milliseconds: Int64 = 10_000
  ) throws(Problem) -> Rows {
    var opened: OpaquePointer?
    defer { sqlite3_close_v2(opened) }
    guard sqlite3_open_v2(path, &opened, SQLITE_OPEN_READONLY, nil) == SQLITE_OK, let handle = opened else {
      throw Problem(description: "'\(path)' cannot be read: \(Self.message(opened))")
    }
    sqlite3_busy_timeout(handle, 5000)
    // Proof of safety: it is retained until the statement is finalized, since the `defer` of `prepared` runs first, and SQLite
    // calls the two functions below only while a statement is prepared or runs.
    let guarding = Unmanaged.passRetained(QueryGuard(views: views, milliseconds: milliseconds))
    defer { guarding.release() }
    sqlite3_set_authorizer(
      handle,
      { context, action, first, second, _, view in
        guard let context else { return SQLITE_DENY }
        // Proof of safety: `context` is `guarding` from above, which is retained until the statement is finalized.
        let guarding = Unmanaged<QueryGuard>.fromOpaque(context).takeUnretainedValue()
        return guarding.allows(
          action, first.map { String(cString: $0) }, second.map { String(cString: $0) },
          view.map { String(cString: $0) })
          ? SQLITE_OK : SQLITE_DENY
      }, guarding.toOpaque())
    sqlite3_progress_handler(
      handle, 10_000,
      { context in
        guard let context else { return 1 }
        // Proof of safety: `context` is `guarding` from above, which is retained until the statement is finalized.
        return Unmanaged<QueryGuard>.fromOpaque(context).takeUnretainedValue().isLate ? 1 : 0
      }, guarding.toOpaque())
    var prepared: OpaquePointer?
    defer { sqlite3_finalize(prepared) }
    let rest = try Self.prepare(sql, handle, &prepared, guarding.takeUnretainedValue())
    guard let statement = prepared else { throw Problem(description: "there is no statement in it") }
    guard rest.allSatisfy({ $0.isWhitespace || $0 == ";" }) else {
      throw Problem(description: "one statement is run at a time, and behind the first stands '\(rest.prefix(40))'")
    }
    try bind(statement, named, ordered)
    return try rows(of: statement, handle, guarding.takeUnretainedValue())
  }

  private static func prepare(
    _ sql: String, _ handle: OpaquePointer, _ statement: inout OpaquePointer?, _ guarding: QueryGuard
  ) throws(Problem) -> String {
    var rest = ""
    let code = sql.withCString { text -> Int32 in
      var tail: UnsafePointer<CChar>?
      let code = sqlite3_prepare_v2(handle, text, -1, &statement, &tail)
      if let tail { rest = String(cString: tail) }
      return code
    }
    if code == SQLITE_AUTH { throw Problem(description: guarding.refusal) }
    if code != SQLITE_OK { throw Problem(description: message(handle)) }
    return rest
  }

  private func bind(_ statement: OpaquePointer, _ named: [String: Scalar], _ ordered: [Scalar]) throws(Problem) {
    let count = Int(sqlite3_bind_parameter_count(statement))
    var unused = Set(named.keys)
    for index in 0..<count {
      let place = Int32(index + 1)
      if let text = sqlite3_bind_parameter_name(statement, place).map({ String(cString: $0) }), !text.hasPrefix("?") {
        let name = String(text.dropFirst())
        guard let value = named[name] else { throw Problem(description: "no value is given for '\(text)'") }
        unused.remove(name)
        Self.bind(value, statement, place)
      } else {
        guard index < ordered.count else { throw Problem(description: "no value is given for parameter \(index + 1)") }
        Self.bind(ordered[index], statement, place)
      }
    }
    if let name = unused.min() { throw Problem(description: "the statement has no parameter ':\(name)'") }
    if named.isEmpty, ordered.count > count {
      throw Problem(description: "\(ordered.count) values are given for \(count) parameters")
    }
  }

  private static func bind(_ value: Scalar, _ statement: OpaquePointer, _ place: Int32) {
    switch value {
    case .null: sqlite3_bind_null(statement, place)
    case .boolean(let flag): sqlite3_bind_int64(statement, place, flag ? 1 : 0)
    case .integer(let number): sqlite3_bind_int64(statement, place, number)
    case .number(let number): sqlite3_bind_double(statement, place, number)
    case .text(let text), .json(let text):
      // Proof of safety: -1 is `SQLITE_TRANSIENT`, which SQLite compares and never calls; the statement copies the bytes.
      sqlite3_bind_text(statement, place, text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    }
  }

  private func rows(
    of statement: OpaquePointer, _ handle: OpaquePointer, _ guarding: QueryGuard
  ) throws(Problem) -> Rows {
    let count = sqlite3_column_count(statement)
    var result = Rows(columns: (0..<count).map { String(cString: sqlite3_column_name(statement, $0)) }, rows: [])
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        guard result.rows.count < Self.rowLimit else {
          throw Problem(description: "the query gives more than \(Self.rowLimit) rows; add a LIMIT")
        }
        result.rows.append((0..<count).map { Self.value(statement, $0) })
      case SQLITE_DONE: return result
      case SQLITE_INTERRUPT: throw Problem(description: "the query took longer than \(guarding.milliseconds) ms")
      default: throw Problem(description: Self.message(handle))
      }
    }
  }

  private static func value(_ statement: OpaquePointer, _ column: Int32) -> Scalar {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: return .number(sqlite3_column_double(statement, column))
    case SQLITE_TEXT, SQLITE_BLOB:
      return .text(sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "")
    default: return .null
    }
  }

  private static func message(_ handle: OpaquePointer?) -> String {
    handle.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } ?? "out of memory"
  }
}

/// What a query may do, and for how long. Used by one thread, that of the query.
private final class QueryGuard {
  let milliseconds: Int64
  private let views: Set<String>
  private let deadline: ContinuousClock.Instant
  private(set) var refusal = "the statement is not allowed"

  init(views: Set<String>, milliseconds: Int64) {
    self.views = views
    self.milliseconds = milliseconds
    deadline = .now + .milliseconds(milliseconds)
  }

  var isLate: Bool { ContinuousClock.now > deadline }

  func allows(_ action: Int32, _ first: String?, _ second: String?, _ view: String?) -> Bool {
    switch action {
    case SQLITE_SELECT, SQLITE_RECURSIVE: return true
    case SQLITE_FUNCTION where second != "load_extension": return true
    case SQLITE_READ:
      let table = first ?? ""
      if views.contains(table) { return true }
      // A name that a WITH gave is read so when no column of it is asked for; there is no such table in the file.
      if second == "", table != "replica", !table.hasPrefix("_"), !table.hasPrefix("sqlite_") { return true }
      // What a view reads is read in its name.
      let isShown =
        table == ShownTable.hiddenName || (table.hasPrefix("_") && views.contains(String(table.dropFirst())))
      if isShown, let view, views.contains(view) || view == ShownTable.hiddenName || view == "hidden" { return true }
      refusal = "'\(table)' may not be read; there are \(views.sorted().joined(separator: ", "))"
      return false
    default:
      refusal = "a query only reads: it is one SELECT over \(views.sorted().joined(separator: ", "))"
      return false
    }
  }
}
