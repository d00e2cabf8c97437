/// A collection as a device's file shows it: a table that the device keeps, and a view of it that others read.
///
/// The table is called `_notes`, the view `notes`. References are resolved by the view, so that everything returns when a
/// target lives again.
public struct ShownTable: Hashable, Sendable {
  /// The collection's name.
  public var name: String
  /// Its columns, in order.
  public var columns: [Column]
  /// What runs down with time; nil for nothing.
  public var aging: Aging?

  /// A value that runs down from the time at which it was written.
  public struct Aging: Hashable, Sendable {
    /// The column of the value, in milliseconds.
    public var column: String
    /// The column with the time at which it was written, in milliseconds since 1970.
    public var since: String
    /// A column with a truth value; where it is true the value does not run down.
    public var unless: String?
    /// A column and the values of it for which the value runs down; nil for always.
    public var when: (column: String, values: [String])?

    /// Describes a value that runs down.
    public init(column: String, since: String, unless: String? = nil, when: (column: String, values: [String])? = nil) {
      (self.column, self.since, self.unless, self.when) = (column, since, unless, when)
    }

    /// Whether both are the same.
    public static func == (one: Aging, other: Aging) -> Bool {
      one.column == other.column && one.since == other.since && one.unless == other.unless
        && one.when?.column == other.when?.column && one.when?.values == other.when?.values
    }

    /// Hashes the columns.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(column)
      hasher.combine(since)
    }
  }

  /// One field of a collection.
  public struct Column: Hashable, Sendable {
    /// The field's name.
    public var name: String
    /// Of a reference: the collection that it refers to.
    public var target: String?
    /// What a reference reads as while its target is deleted.
    public var effect: Effect

    /// What a reference reads as while its target is deleted.
    public enum Effect: Hashable, Sendable {
      /// As what was written.
      case none
      /// As nothing.
      case clears
      /// The record is not shown.
      case hides
    }

    /// Makes a column.
    public init(name: String, target: String? = nil, effect: Effect = .none) {
      self.name = name
      self.target = target
      self.effect = effect
    }
  }

  /// Makes a table.
  public init(name: String, columns: [Column], aging: Aging? = nil) {
    self.name = name
    self.columns = columns
    self.aging = aging
  }

  /// The name of the table that the device keeps.
  var table: String { Self.quoted("_" + name) }

  /// What puts a row in.
  var insert: String {
    "INSERT OR REPLACE INTO \(table) VALUES (\(Array(repeating: "?", count: columns.count + 4).joined(separator: ", ")))"
  }

  static func quoted(_ name: String) -> String { "\"\(name)\"" }

  /// What makes a view of one connection that adds `aged_COLUMN`, the value as it is at an instant; nil without such a value.
  func agedView(atMilliseconds now: Int64) -> String? {
    guard let aging else { return nil }
    let value = Self.quoted(aging.column)
    var conditions: [String] = []
    if let unless = aging.unless { conditions.append("NOT coalesce(\(Self.quoted(unless)), 0)") }
    if let when = aging.when {
      let values = when.values.map {
        "'\($0.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'"
      }
      conditions.append("\(Self.quoted(when.column)) IN (\(values.joined(separator: ", ")))")
    }
    let left = "max(0, \(value) - max(0, \(now) - \(Self.quoted(aging.since))))"
    let aged =
      conditions.isEmpty
      ? left : "CASE WHEN \(conditions.joined(separator: " AND ")) THEN \(left) ELSE \(value) END"
    return """
      CREATE TEMP VIEW \(Self.quoted(name)) AS SELECT *, \(aged) AS \(Self.quoted("aged_" + aging.column))
      FROM main.\(Self.quoted(name))
      """
  }

  /// The view of everything that is deleted, or hidden because what it refers to is.
  static let hiddenName = "_hidden"

  /// What makes the tables and views.
  static func schema(_ tables: [ShownTable]) -> [String] {
    let hides = tables.contains { $0.columns.contains { $0.effect == .hides } }
    return tables.flatMap(\.tableSQL) + (hides ? [hiddenView(tables)] : []) + tables.map { $0.view(hides: hides) }
  }

  private var tableSQL: [String] {
    let names = columns.map { ", " + Self.quoted($0.name) }.joined()
    let indexes = columns.filter { $0.effect == .hides }.map {
      "CREATE INDEX \(Self.quoted("_\(name)_\($0.name)")) ON \(table) (\(Self.quoted($0.name)))"
    }
    return [
      """
      CREATE TABLE \(table) (_key TEXT NOT NULL PRIMARY KEY, _deleted INTEGER NOT NULL, _changed INTEGER NOT NULL,
        _by TEXT NOT NULL\(names)) WITHOUT ROWID
      """,
      "CREATE INDEX \(Self.quoted("_\(name)__deleted")) ON \(table) (_key) WHERE _deleted",
    ] + indexes
  }

  /// Deleted records and, again and again, those that are not shown while the ones they refer to are not: a fixpoint, so
  /// that circles of references end.
  private static func hiddenView(_ tables: [ShownTable]) -> String {
    let deleted = tables.map { "SELECT '\($0.name)', _key FROM \($0.table) WHERE _deleted" }
    let followers = tables.flatMap { table in
      table.columns.filter { $0.effect == .hides }.map { column in
        """
        SELECT '\(table.name)', r._key FROM hidden h JOIN \(table.table) r ON r.\(quoted(column.name)) = h.key
        WHERE h.collection = '\(column.target ?? "")'
        """
      }
    }
    return """
      CREATE VIEW \(quoted(hiddenName)) AS WITH RECURSIVE hidden (collection, key) AS (
      \((deleted + followers).joined(separator: "\nUNION\n")))
      SELECT collection, key FROM hidden
      """
  }

  private func view(hides: Bool) -> String {
    let values = columns.map { column -> String in
      let name = Self.quoted(column.name)
      guard column.effect == .clears, let target = column.target else { return ", r.\(name)" }
      return ", CASE WHEN \(Self.isHidden("r.\(name)", target, hides)) THEN NULL ELSE r.\(name) END AS \(name)"
    }
    let isGone = hides ? Self.isHidden("r._key", name, true) : "r._deleted"
    return """
      CREATE VIEW \(Self.quoted(name)) AS SELECT r._key\(values.joined()), r._changed, r._by
      FROM \(table) r WHERE NOT \(isGone)
      """
  }

  private static func isHidden(_ key: String, _ collection: String, _ hides: Bool) -> String {
    hides
      ? "\(key) IN (SELECT key FROM \(quoted(hiddenName)) WHERE collection = '\(collection)')"
      : "EXISTS (SELECT 1 FROM \(quoted("_" + collection)) t WHERE t._key = \(key) AND t._deleted)"
  }
}
