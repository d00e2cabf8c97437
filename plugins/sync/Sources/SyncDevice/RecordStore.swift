import FlowDiagnostics
import FlowModel
import FlowPluginKit
import SyncCore
import SyncEngine
import SyncPomodoro
import SyncRecords
import SyncSQLite

/// The records of a schema on this device, as used by actions such as `sync.put` and `sync.get`.
package struct RecordStore: Sendable {
  package let schema: RecordSchema
  /// The part of the zone that this device receives, or nil for the whole zone.
  package let subscription: SyncSubscription?
  package let session: SyncSession
  private let onOtherStore: OnOtherStore
  private let query: RecordQuery

  /// Creates a store for the records in the device's file.
  package init(
    schema: RecordSchema, subscription: SyncSubscription?, session: SyncSession, file: String,
    onOtherStore: OnOtherStore = .fail
  ) {
    self.onOtherStore = onOtherStore
    self.schema = schema
    self.subscription = subscription
    self.session = session
    query = RecordQuery(path: file, tables: schema.showing(subscription).tables)
  }

  /// The part of the schema whose records this device receives.
  package var shown: RecordSchema { schema.showing(subscription) }

  /// Returns a collection by name. Throws if it does not exist or this device does not receive its records.
  package func requireShown(_ name: String) throws -> RecordSchema.Collection {
    _ = try require(name)
    return try schema.require(name, in: subscription)
  }

  /// Throws if another store has responded since the connection was opened.
  package func requireOwnStore() async throws {
    guard case .otherStore(let store)? = await session.machine.pausedBecause else { return }
    throw Failure.error(BackendError.otherStore(store), onOtherStore)
  }

  /// Declares the collections and rules that the zone does not have yet. Throws if the zone has different ones.
  package func declare() async throws {
    do {
      try await session.declare(schema)
    } catch let problem as RecordProblem {
      throw ActionError(Failure.schema.code, "\(problem)")
    }
  }

  /// Returns a collection by name. If it does not exist, the error suggests the most similar name or, without a schema,
  /// how to specify one.
  package func require(_ name: String) throws -> RecordSchema.Collection {
    if schema.collection(name) == nil, schema == Pomodoro.schema.withDevices {
      let names = schema.collections.map(\.name).joined(separator: ", ")
      throw ActionError(
        Failure.schema.code,
        "sync.connect has no schema, and the timer's has no collection '\(name)' but \(names); write 'schema: notes.sync.yaml' there, the file that names the collections"
      )
    }
    return try schema.require(name)
  }

  // MARK: Reading

  /// Returns a record, the time of its last change in milliseconds since 1970, and the device that made the change.
  /// Returns nil if the collection's view does not show the record.
  package func get(_ collection: RecordSchema.Collection, _ key: String) async throws -> (
    record: ValueObject, changed: Int, by: String
  )? {
    try await requireOwnStore()
    let rows = try query.run("SELECT * FROM \"\(collection.name)\" WHERE _key = ?", ordered: [.text(key)])
    guard let row = rows.rows.first else { return nil }
    var record = ValueObject()
    for (name, value) in zip(rows.columns, row) {
      guard let field = collection.field(name) else { continue }
      record[name] = field.value(field.asWritten(value))
    }
    if collection.hasOtherFields {
      let cell = await session.machine.view(of: RecordKey(type: collection.name, name: key))
      for (name, text) in collection.otherFields(of: cell) { record[name] = .string(text) }
    }
    func column(_ name: String) -> Scalar { rows.columns.firstIndex(of: name).map { row[$0] } ?? .null }
    guard case .integer(let changed) = column("_changed"), case .text(let by) = column("_by") else { return nil }
    return (record, Int(changed), by)
  }

  /// Runs a query over the views of the collections. `values` contains the values for the statement's placeholders.
  package func query(_ sql: String, _ values: Value?, timeout: Duration) async throws -> [ValueObject] {
    try await requireOwnStore()
    let now = SystemClock().nowMilliseconds() + (await session.machine.replica.skewMilliseconds)
    var (named, ordered): ([String: Scalar], [Scalar]) = ([:], [])
    switch values {
    case .object(let object)?: for (name, value) in object.members { named[name] = try Self.scalar(value) }
    case .array(let list)?: ordered = try list.map(Self.scalar)
    case nil, .null?: break
    default: throw ActionError(Failure.query.code, "'values' is an object for ':name' or a list for '?'")
    }
    let rows: RecordQuery.Rows
    do throws(RecordQuery.QueryProblem) {
      rows = try query.run(
        sql, named: named, ordered: ordered, milliseconds: max(1, timeout.milliseconds), atMilliseconds: now)
    } catch {
      for collection in schema.collections where error.description == "no such table: \(collection.name)" {
        _ = try requireShown(collection.name)
      }
      throw error
    }
    return rows.rows.map { row in ValueObject(zip(rows.columns, row).map { ($0, Self.value($1)) }) }
  }

  private static func scalar(_ value: Value) throws -> Scalar {
    switch value {
    case .null: .null
    case .boolean(let flag): .boolean(flag)
    case .integer(let number): .integer(Int64(number))
    case .number(let number): .number(number)
    case .string(let text): .text(text)
    case .array, .object: .text(String(decoding: JSONText.bytes(of: value), as: UTF8.self))
    }
  }

  private static func value(_ scalar: Scalar) -> Value {
    switch scalar {
    case .null: .null
    case .boolean(let flag): .boolean(flag)
    case .integer(let number): .integer(Int(number))
    case .number(let number): .number(number)
    case .text(let text), .json(let text): .string(text)
    }
  }

  // MARK: Writing

  /// Throws if another store has responded, or if the zone has refused this schema's rules of the collection.
  private func requireRules(of collection: RecordSchema.Collection) async throws {
    try await requireOwnStore()
    let items = await session.machine.replica.outbox.items(for: ZoneRules.key(of: collection.name))
    if let reason = items.lazy.compactMap(\.parkedBecause).first { throw ActionError(Failure.schema.code, reason) }
  }

  /// Returns the action that writes values to a record.
  package func put(
    _ collection: RecordSchema.Collection, _ key: String, _ values: ValueObject, replaces: Bool = false
  ) async throws -> (key: RecordKey, action: SyncMachine.Action) {
    try await requireRules(of: collection)
    let recordKey = RecordKey(type: collection.name, name: key)
    let view = await session.machine.view(of: recordKey)
    let isNew = collection.shown(view) == nil
    let edit = try RecordInput(collection, replaces: replaces).edit(values, isNew: isNew, seed: .random(in: 0 ... .max))
    return (recordKey, .edit(edit))
  }

  /// Returns the action that deletes a record, or nil if the record does not exist.
  package func delete(
    _ collection: RecordSchema.Collection, _ key: String
  ) async throws -> (key: RecordKey, action: SyncMachine.Action)? {
    try await requireRules(of: collection)
    let recordKey = RecordKey(type: collection.name, name: key)
    let view = await session.machine.view(of: recordKey)
    guard collection.shown(view) != nil else { return nil }
    return (recordKey, .edit(RecordEdit(isDeletion: true)))
  }

  /// Returns a key for a new record. It is a UUID of version 7, so keys sort by time of creation.
  package static func newKey() -> String {
    let milliseconds = UInt64(clamping: SystemClock().nowMilliseconds())
    let high = milliseconds << 16 | 0x7000 | .random(in: 0...0xFFF)
    let low = 0x8000_0000_0000_0000 | UInt64.random(in: 0...0x3FFF_FFFF_FFFF_FFFF)
    func digits(_ number: UInt64) -> String {
      let text = String(number, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }
    let all = Array(digits(high) + digits(low))
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(all[$0]) }.joined(separator: "-")
  }
}

extension RecordSchema {
  /// The tables in the device's file that contain the collections' records.
  package var tables: [ShownTable] {
    collections.map { collection in
      ShownTable(
        name: collection.name,
        columns: collection.fields.map { field in
          guard case .reference(let target) = field.rule.type else { return .init(name: field.name) }
          // The device is not notified of deletions outside its subscription.
          let effect: ShownTable.Column.Effect =
            switch self.collection(target) == nil ? nil : field.rule.onDelete {
            case .clear: .clears
            case .delete: .hides
            default: .none
            }
          return .init(name: field.name, target: target, effect: effect)
        } + (collection.decide == nil ? [] : [.init(name: Collection.decidedColumn)]),
        aging: collection.decide?.smallest.flatMap { smallest in
          guard smallest.ages else { return nil }
          return .init(
            column: smallest.field, since: Collection.decidedColumn, unless: smallest.unless,
            when: smallest.when.map { ($0.field, $0.order) })
        })
    }
  }
}
