/// How large the parts of a record may be. The device, the arbiter and the server all ask here, before anything is saved
/// or acknowledged; what has been saved can always be read, however large it is.
public enum RecordLimits {
  /// The most fields in a record.
  public static let fields = 256
  /// The longest name of a field in bytes.
  public static let fieldNameBytes = 128
  /// The largest state in bytes.
  public static let stateBytes = 4096
  /// The largest value of a field in bytes, and of an element.
  public static let valueBytes = 16_384
  /// The most bytes of states, names and values in a record; what is kept to join copies of it does not count.
  public static let recordBytes = 65_536
  /// The most elements of a set, and of a list with removed elements and moves.
  public static let elements = 4096
  /// The most writes in a transaction.
  public static let transactionWrites = 200
  /// The most bytes of a transaction, with all that is kept to merge it.
  public static let transactionBytes = 524_288
  /// The most devices that take a place in a zone.
  public static let devices = 64
  /// After how many days without a write a device gives its place up.
  public static let silentDays: Int64 = 90

  /// Which limit a write breaks, nil for none.
  public static func problem(with write: Write) -> String? {
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

  /// Which limit one of the values of a cell breaks, nil for none. What only merging can exceed is not looked at.
  public static func problem(withValuesOf cell: Cell) -> String? {
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

  /// Why a cell may not become what a write makes of it, nil when it may. One that is over a limit already may shrink.
  public static func refusal(of cell: Cell, from old: Cell) -> Arbiter.Refusal? {
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
  /// This cell without the states and values that break a limit, which an earlier version or a foreign program may have
  /// committed: they stay in the record and are never shown as the user's own, everything next to them is.
  public func withinLimits() -> Cell {
    if RecordLimits.problem(withValuesOf: self) == nil { return self }
    var cell = self
    cell.entries.removeAll { !RecordLimits.admits($0) }
    cell.fields.removeAll { !RecordLimits.admits($0) }
    return cell
  }

  /// The bytes of its states, names and values.
  public var contentBytes: Int {
    entries.reduce(0) { $0 + $1.payload.count } + fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.count }
      + content.parts.reduce(0) { $0 + $1.name.utf8.count + $1.contentBytes }
  }
}
