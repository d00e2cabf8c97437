/// The limits of a record's parts. Devices, the arbiter and the server check them before anything is saved or
/// acknowledged. Saved records can always be read, even if they exceed a limit.
package enum RecordLimits {
  /// The maximum number of `newest` fields in a record or a write.
  package static let fields = 256
  /// The maximum length of a field's name, in bytes.
  package static let fieldNameBytes = 128
  /// The maximum size of a state, in bytes.
  package static let stateBytes = 4096
  /// The maximum size of a field's value, or of an element of a set or list, in bytes.
  package static let valueBytes = 16_384
  /// The maximum size of a record's states, names and values in bytes. Data used only for merging does not count.
  package static let recordBytes = 65_536
  /// The maximum number of elements in a set or list. In a list, removed elements and moves count, too.
  package static let elements = 4096
  /// The maximum number of writes in a transaction.
  package static let transactionWrites = 200
  /// The maximum size of a transaction in bytes, including data used only for merging.
  package static let transactionBytes = 524_288
  /// The maximum number of devices that have written to a record and are neither retired nor silent for `silentDays`.
  package static let devices = 64
  /// The number of days without a write after which a device no longer counts as a device of the zone.
  package static let silentDays: Int64 = 90

  /// Returns a message about the limit that a write exceeds, or nil if it exceeds none.
  package static func problem(with write: Write) -> String? {
    if let payload = write.payload, let problem = problem(withState: payload) { return problem }
    if write.fields.count > fields { return "a write sets \(write.fields.count) fields, at most \(fields) are allowed" }
    for change in write.fields {
      if let problem = problem(withField: change.name, change.value) { return problem }
    }
    for change in write.record?.changes ?? [] {
      if let problem = problem(with: change) { return problem }
    }
    return nil
  }

  private static func problem(with change: RecordWrite.Change) -> String? {
    let values = change.kind.values
    let count = if case .items(let insert, _) = change.kind { insert.count } else { values.count }
    if count > elements {
      return "a write puts \(count) elements into '\(change.name)', at most \(elements) are allowed"
    }
    if case .add(let more) = change.kind, more.magnitude > UInt64(Stamp.latestMilliseconds) {
      return "\(more) is added to '\(change.name)', at most \(Stamp.latestMilliseconds) is allowed"
    }
    return values.isEmpty
      ? problem(withField: change.name, [])
      : values.lazy.compactMap { problem(withField: change.name, $0) }.first
  }

  /// Returns a message about the limit that a state or a `newest` field of the cell exceeds, or nil if none does. Other
  /// content and the size of the whole cell are not checked.
  package static func problem(withValuesOf cell: Cell) -> String? {
    for entry in cell.entries {
      if let problem = problem(withState: entry.payload) { return problem }
    }
    for field in cell.fields {
      if let problem = problem(withField: field.name, field.value) { return problem }
    }
    return nil
  }

  fileprivate static func admits(_ entry: StateEntry) -> Bool { problem(withState: entry.payload) == nil }
  fileprivate static func admits(_ field: RecordField) -> Bool { problem(withField: field.name, field.value) == nil }

  /// Returns the reason why a change from `old` to this cell is refused, or nil if it is allowed. A cell that already
  /// exceeds a limit may still become smaller.
  package static func refusal(of cell: Cell, from old: Cell) -> Arbiter.Refusal? {
    if cell.fields.count > fields, cell.fields.count > old.fields.count {
      return .invalid("the record would have \(cell.fields.count) fields, at most \(fields) are allowed")
    }
    for part in cell.content.parts where part.elements > elements {
      if part.elements <= old.content.part(part.name)?.elements ?? 0 { continue }
      let kept = part.rule == .list ? ", with removed ones and moves" : ""
      return .invalid("'\(part.name)' would have \(part.elements) elements\(kept), at most \(elements) are allowed")
    }
    let bytes = cell.contentBytes
    return bytes > recordBytes && bytes > old.contentBytes ? .tooLarge(bytes: bytes) : nil
  }

  private static func problem(withState payload: [UInt8]) -> String? {
    payload.count <= stateBytes ? nil : "the state has \(payload.count) bytes, at most \(stateBytes) are allowed"
  }

  private static func problem(withField name: String, _ value: [UInt8]) -> String? {
    let length = name.utf8.count
    if length == 0 { return "a field has no name" }
    if length > fieldNameBytes {
      return "the field's name '\(name.prefix(24))…' has \(length) bytes, at most \(fieldNameBytes) are allowed"
    }
    if value.count > valueBytes {
      return "the value of '\(name)' has \(value.count) bytes, at most \(valueBytes) are allowed"
    }
    return nil
  }
}

extension Cell {
  /// Returns this cell without the states and `newest` fields that exceed a limit. An earlier version or another
  /// program may have stored them. They stay in the record but are not shown.
  package func withinLimits() -> Cell {
    if RecordLimits.problem(withValuesOf: self) == nil { return self }
    var cell = self
    cell.entries.removeAll { !RecordLimits.admits($0) }
    cell.fields.removeAll { !RecordLimits.admits($0) }
    return cell
  }

  /// The size of the record's states, names and values in bytes. Data used only for merging does not count.
  package var contentBytes: Int {
    entries.reduce(0) { $0 + $1.payload.count } + fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.count }
      + content.parts.reduce(0) { $0 + $1.name.utf8.count + $1.contentBytes }
  }
}
