/// A collection as shown in a device's file: a table to which the device writes, and a view for other programs.
///
/// The table is named `_notes` and the view `notes`. The view resolves references, so that a record reappears when the
/// record that it refers to exists again.
package struct ShownTable: Hashable, Sendable {
  package var name: String
  /// The columns, in the order of the schema.
  package var columns: [Column]
  /// The column whose value decreases with time, or nil if there is none.
  package var aging: Aging?

  /// A value that decreases with the time since it was written.
  package struct Aging: Hashable, Sendable {
    /// The name of the column with the value in milliseconds.
    package var column: String
    /// The name of the column with the time of writing, in milliseconds since 1970.
    package var since: String
    /// The name of a Boolean column, or nil. While it is true, the value does not decrease.
    package var unless: String?
    /// A column and its values for which the decrease applies. If nil, it always applies.
    package var when: (column: String, values: [String])?

    package init(
      column: String, since: String, unless: String? = nil, when: (column: String, values: [String])? = nil
    ) {
      (self.column, self.since, self.unless, self.when) = (column, since, unless, when)
    }

    package static func == (one: Aging, other: Aging) -> Bool {
      one.column == other.column && one.since == other.since && one.unless == other.unless
        && one.when?.column == other.when?.column && one.when?.values == other.when?.values
    }

    package func hash(into hasher: inout Hasher) {
      hasher.combine(column)
      hasher.combine(since)
    }
  }

  package struct Column: Hashable, Sendable {
    /// The field's name.
    package var name: String
    /// The collection that a reference refers to. Nil for other fields.
    package var target: String?
    /// The effect on the reference if its target is deleted.
    package var effect: Effect

    /// The effect of a deleted target on a reference.
    package enum Effect: Hashable, Sendable {
      /// The reference keeps its value.
      case none
      /// The reference is shown as null.
      case clears
      /// The record with the reference is hidden.
      case hides
    }

    package init(name: String, target: String? = nil, effect: Effect = .none) {
      self.name = name
      self.target = target
      self.effect = effect
    }
  }

  package init(name: String, columns: [Column], aging: Aging? = nil) {
    self.name = name
    self.columns = columns
    self.aging = aging
  }

  /// The quoted name of the table to which the device writes.
  var table: String { Self.quoted("_" + name) }

  /// The statement that inserts or replaces a row.
  var insert: String {
    "INSERT OR REPLACE INTO \(table) VALUES (\(Array(repeating: "?", count: columns.count + 4).joined(separator: ", ")))"
  }

  static func quoted(_ name: String) -> String { "\"\(name)\"" }

  /// Returns the statement that creates a temporary view with an additional column `aged_COLUMN`, the value at `now`.
  /// Returns nil if no value decreases.
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

  /// The name of the view with all records that are deleted, or hidden because a record that they refer to is deleted.
  static let hiddenName = "_hidden"

  /// Returns the statements that create the tables, their indexes and the views.
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

  /// Selects deleted records and, recursively, records that are hidden because of them. UNION removes duplicates, so
  /// that the recursion ends even if references form a cycle.
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
