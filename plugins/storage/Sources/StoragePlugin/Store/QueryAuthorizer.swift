import GRDB
import GRDBSQLite
import Synchronization

/// What SQLite may do for a statement that somebody wrote into a workflow: read the store, and nothing else.
///
/// SQLite asks the authorizer about each thing that a statement would do, while it compiles it and when it compiles it
/// again. Everything is denied but what stands here, so what a later SQLite learns is denied as well.
final class QueryAuthorizer: Sendable {
  /// Why something was denied.
  enum Denial: Sendable {
    /// The statement would change the store.
    case write
    /// The statement would reach another file, or load code.
    case outside
  }

  private struct State {
    /// GRDB's own statements on the connection are not asked about.
    var isWatching = false
    var denial: Denial?
  }

  private let state = Mutex(State())

  /// What the last watched statement was denied, or nil.
  var denial: Denial? { state.withLock { $0.denial } }

  /// Makes a connection ask this authorizer, which must outlive it.
  func guardConnection(_ db: Database) {
    // Proof of safety: the caller of `queryConnection` keeps the authorizer until it has closed the connection.
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_set_authorizer(
      db.sqliteConnection,
      { context, action, first, second, _, _ in
        // Proof of safety: `context` is the pointer given below, to an authorizer that outlives the connection.
        let authorizer = Unmanaged<QueryAuthorizer>.fromOpaque(context!).takeUnretainedValue()
        return authorizer.answer(action, first.map { String(cString: $0) }, second.map { String(cString: $0) })
      }, context)
  }

  /// Runs `body`, in which SQLite asks about every statement.
  func watching<Result>(_ body: () throws -> Result) rethrows -> Result {
    state.withLock { $0 = State(isWatching: true) }
    defer { state.withLock { $0.isWatching = false } }
    return try body()
  }

  private func answer(_ action: CInt, _ first: String?, _ second: String?) -> CInt {
    state.withLock { state in
      guard state.isWatching, let denial = Self.denial(action, first, second) else { return SQLITE_OK }
      if state.denial == nil { state.denial = denial }
      return SQLITE_DENY
    }
  }

  private static func denial(_ action: CInt, _ first: String?, _ second: String?) -> Denial? {
    switch action {
    case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: nil
    // SQLite asks so for itself when it makes a virtual table such as `pragma_table_info` known; it refuses to do it for a
    // statement, and the connection cannot write.
    case SQLITE_UPDATE where first == "sqlite_master": nil
    // The second text is the function's name. These two take the address of code, or a library that holds it.
    case SQLITE_FUNCTION: ["load_extension", "fts3_tokenizer"].contains(second?.lowercased()) ? .outside : nil
    case SQLITE_PRAGMA: isReading(pragma: first ?? "", argument: second) ? nil : .write
    case SQLITE_ATTACH, SQLITE_DETACH: .outside
    default: .write
    }
  }

  /// Whether a pragma only tells something: with an argument those that look up a table, an index or the whole store,
  /// without one all but those that act.
  private static func isReading(pragma: String, argument: String?) -> Bool {
    let pragma = pragma.lowercased()
    guard argument == nil else { return lookUps.contains(pragma) }
    return !["incremental_vacuum", "optimize", "shrink_memory", "wal_checkpoint"].contains(pragma)
  }

  private static let lookUps: Set<String> = [
    "foreign_key_check", "foreign_key_list", "index_info", "index_list", "index_xinfo", "integrity_check",
    "quick_check", "table_info", "table_list", "table_xinfo",
  ]
}
