import FlowModel
import SyncCore
import SyncEngine

extension RecordSchema.Collection {
  /// Returns the values of a record's fields in the order of the schema, even if the record is deleted.
  public func values(of cell: Cell) -> [Scalar] {
    let state = decide.map { cell.state(by: $0) } ?? RecordState()
    return fields.map { $0.rule.merge == .whole ? state.value($0.name) ?? .null : $0.scalar(in: cell) }
  }

  /// Returns the time when the winning state of a record was written, in milliseconds since 1970 on the server's clock.
  /// Returns nil if the collection has no states or none has been written.
  package func decided(in cell: Cell) -> Int64? {
    decide.flatMap { cell.reading(by: $0)?.winner.milliseconds }
  }

  /// Returns a record's decreasing value at `now`, a time of the server's clock, or nil if the collection has no such
  /// field or the record has no value for it.
  package func aged(_ cell: Cell, atMilliseconds now: Int64) -> (field: String, value: Value)? {
    guard let decide, let decided = decided(in: cell),
      let (name, milliseconds) = decide.aged(cell.state(by: decide), setAtMilliseconds: decided, atMilliseconds: now),
      let field = field(name)
    else { return nil }
    return (name, field.value(.integer(milliseconds)))
  }

  /// The name of the column with the time of the winning state; see `decided(in:)`.
  package static let decidedColumn = "_decided"

  /// Returns a record as an object for workflows, or nil if the record does not exist.
  package func shown(_ cell: Cell) -> ValueObject? {
    guard cell.isRecord, !cell.content.isDeleted(by: delete) else { return nil }
    var record = ValueObject(zip(fields, values(of: cell)).map { ($0.name, $0.value($1)) })
    for (name, text) in otherFields(of: cell) { record[name] = .string(text) }
    return record
  }

  /// Returns the fields of a record that are not in the schema. Returns an empty array if the collection does not allow
  /// such fields.
  package func otherFields(of cell: Cell) -> [(name: String, text: String)] {
    guard hasOtherFields else { return [] }
    return cell.fields.compactMap { stored in
      guard field(stored.name) == nil, case .text(let text)? = Scalar(bytes: stored.value) else { return nil }
      return (stored.name, text)
    }
  }

  /// Returns an object with a member for each list, which contains the names of the list's elements in order.
  package func ids(of cell: Cell) -> ValueObject {
    var ids = ValueObject()
    for field in fields where field.rule.merge == .list {
      let items = ListItem.inOrder(cell.content.part(field.name)?.state.items ?? [])
      ids[field.name] = .array(items.filter { $0.value != nil }.map { .string("\($0.id)") })
    }
    return ids
  }
}

extension RecordSchema.Field {
  func scalar(in cell: Cell) -> Scalar {
    if rule.merge == .newest {
      return cell.fields.first { $0.name == name }.flatMap { Scalar(bytes: $0.value) } ?? .null
    }
    switch cell.content.part(name)?.state {
    case .largest(let value)?, .smallest(let value)?: return rule.scalar(value) ?? .null
    case .counter(let slots)?: return .integer(RecordPart.State.counter(slots).total ?? 0)
    case .set(let elements)?: return json(elements.map(\.value))
    case .list(let items)?: return json(ListItem.inOrder(items).compactMap(\.value))
    case nil:
      switch rule.merge {
      case .counter: return .integer(0)
      case .set, .list: return .json("[]")
      default: return .null
      }
    }
  }

  /// Converts a stored value of the field to a value for workflows.
  package func value(_ scalar: Scalar) -> Value { value(scalar, rule.type) }

  private func json(_ values: [[UInt8]]) -> Scalar {
    let read = values.map { Scalar(bytes: $0).map { value($0, rule.element) } ?? .null }
    return .json(String(decoding: JSONText.bytes(of: .array(read)), as: UTF8.self))
  }
}

/// Converts records to the rows of a device's file, according to the device's schema. The schema's rule for deletions
/// applies, which is the same as the zone's.
package struct SchemaProjection: RecordProjection {
  private let collections: [String: RecordSchema.Collection]

  package init(_ schema: RecordSchema) {
    collections = Dictionary(schema.collections.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the packed row of a record; see `RecordProjection`.
  package func row(of cell: Cell, key: RecordKey) -> [UInt8]? {
    guard let collection = collections[key.type] else { return nil }
    guard cell.isRecord else { return [] }
    return ShownRow(
      isDeleted: cell.content.isDeleted(by: collection.delete),
      changedMilliseconds: cell.content.changed?.milliseconds ?? 0, changedBy: cell.content.changed?.device.name ?? "",
      values: collection.values(of: cell)
        + (collection.decide == nil ? [] : [collection.decided(in: cell).map { .integer($0) } ?? .null])
    ).packed()
  }
}

extension RecordSchema.Field {
  /// Converts a value returned by SQL to the field's type. SQL has neither Booleans nor lists.
  package func asWritten(_ shown: Scalar) -> Scalar {
    switch (rule.type, shown) {
    case (.boolean, .integer(let number)): .boolean(number != 0)
    case (.number, .integer(let number)): .number(Double(number))
    case (.array, .text(let text)): .json(text)
    default: shown
    }
  }
}
