import FlowSQLite
import SyncCore

/// Runs SQL that can read only the views in a device's file. The connection is read-only, and an authorizer refuses
/// access to everything else.
package struct RecordQuery: Sendable {
  private let path: String
  private let tables: [ShownTable]
  private var views: Set<String> { Set(tables.map(\.name)) }

  /// The maximum number of rows that a query may return.
  package static let rowLimit = 100_000

  package init(path: String, tables: [ShownTable]) {
    self.path = path
    self.tables = tables
  }

  /// The reason why a query failed.
  package struct QueryProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problem as text.
    package var description: String
  }

  package struct Rows: Hashable, Sendable {
    package var columns: [String]
    /// The rows, each with one value per column.
    package var rows: [[Scalar]]
  }

  /// Runs one statement. `named` and `ordered` are the values of its parameters `:name` and `?`. Decreasing values are
  /// returned as of `now`, in milliseconds since 1970 on the server's clock.
  package func run(
    _ sql: String, named: [String: Scalar] = [:], ordered: [Scalar] = [], milliseconds: Int64 = 10_000,
    atMilliseconds now: Int64 = 0
  ) throws(QueryProblem) -> Rows {
    do {
      let connection = try open()
      for table in tables { if let view = table.agedView(atMilliseconds: now) { try connection.execute(view) } }
      let guarding = QueryGuard(views: views)
      connection.authorize { guarding.allows($0) }
      connection.interrupt(after: .now + .milliseconds(milliseconds))
      do {
        return try connection.single(sql) { statement in
          try statement.bound(to: try Self.values(of: statement.parameters, named, ordered)) { try Self.rows(of: $0) }
        }
      } catch let error as SQLiteError {
        switch error.kind {
        case .denied: throw QueryProblem(description: guarding.refusal)
        case .interrupted: throw QueryProblem(description: "the query took longer than \(milliseconds) ms")
        default: throw QueryProblem(description: error.message)
        }
      } catch SQLiteConnection.NotOneStatement.none {
        throw QueryProblem(description: "there is no statement in it")
      } catch SQLiteConnection.NotOneStatement.several(let rest) {
        throw QueryProblem(description: "expected one statement, found more after it: '\(rest.prefix(40))'")
      }
    } catch let problem as QueryProblem {
      throw problem
    } catch {
      throw QueryProblem(description: "\(error)")
    }
  }

  private func open() throws(QueryProblem) -> SQLiteConnection {
    do throws(SQLiteError) {
      return try SQLiteConnection(
        path, .readOnly, busyMilliseconds: SQLiteFailure.busyMilliseconds, takesQuotedText: true)
    } catch {
      throw QueryProblem(description: "'\(path)' cannot be read: \(error.message)")
    }
  }

  /// Returns the values in the order of the statement's parameters.
  private static func values(
    of parameters: [String?], _ named: [String: Scalar], _ ordered: [Scalar]
  ) throws(QueryProblem) -> [SQLiteValue] {
    var values: [SQLiteValue] = []
    var unused = Set(named.keys)
    for (index, parameter) in parameters.enumerated() {
      if let parameter, !parameter.hasPrefix("?") {
        let name = String(parameter.dropFirst())
        guard let value = named[name] else { throw QueryProblem(description: "no value is given for '\(parameter)'") }
        unused.remove(name)
        values.append(value.column)
      } else {
        guard index < ordered.count else {
          throw QueryProblem(description: "no value is given for parameter \(index + 1)")
        }
        values.append(ordered[index].column)
      }
    }
    if let name = unused.min() { throw QueryProblem(description: "the statement has no parameter ':\(name)'") }
    if named.isEmpty, ordered.count > parameters.count {
      throw QueryProblem(description: "\(ordered.count) values are given for \(parameters.count) parameters")
    }
    return values
  }

  private static func rows(of statement: borrowing SQLiteStatement) throws -> Rows {
    var result = Rows(columns: statement.columns, rows: [])
    while try statement.next() {
      guard result.rows.count < rowLimit else {
        throw QueryProblem(description: "the query gives more than \(rowLimit) rows; add a LIMIT")
      }
      result.rows.append(result.columns.indices.map { statement.scalar($0) })
    }
    return result
  }
}

extension SQLiteStatement {
  /// Returns the value in a column. Bytes are read as text.
  fileprivate func scalar(_ column: Int) -> Scalar {
    switch value(column) {
    case .null: .null
    case .integer(let number): .integer(number)
    case .number(let number): .number(number)
    case .text(let text): .text(text)
    case .bytes(let bytes): .text(String(decoding: bytes, as: UTF8.self))
    }
  }
}

/// Decides which parts of the file a query may access. Used only on the thread of the query.
private final class QueryGuard {
  private let views: Set<String>
  private(set) var refusal = "the statement is not allowed"

  init(views: Set<String>) { self.views = views }

  func allows(_ action: SQLiteAction) -> Bool {
    switch action {
    case .select, .recursion: return true
    case .function(let name) where name != "load_extension": return true
    case .read(let table, let column, let view): return allowsReading(table, column, view)
    default:
      refusal = "a query only reads: it is one SELECT over \(views.sorted().joined(separator: ", "))"
      return false
    }
  }

  private func allowsReading(_ table: String, _ column: String, _ view: String?) -> Bool {
    if views.contains(table) { return true }
    // SQLite reports a common table expression (WITH) with an empty column if none of its columns is used. The other
    // conditions exclude the tables of the file.
    if column == "", table != "replica", !table.hasPrefix("_"), !table.hasPrefix("sqlite_") { return true }
    // A table read through a view is reported with the view's name.
    let isShown = table == ShownTable.hiddenName || (table.hasPrefix("_") && views.contains(String(table.dropFirst())))
    if isShown, let view, views.contains(view) || view == ShownTable.hiddenName || view == "hidden" { return true }
    refusal = "'\(table)' may not be read; there are \(views.sorted().joined(separator: ", "))"
    return false
  }
}
