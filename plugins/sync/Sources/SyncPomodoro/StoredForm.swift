import FlowModel
import SyncCore
import SyncEngine
import SyncRecords

extension TimerState {
  /// The state as the timer's schema names its parts.
  public var recordState: RecordState {
    RecordState(values: [
      "state": Scalar.text(kind.rawValue).bytes, "remaining": Scalar.integer(remainingMilliseconds).bytes,
      "is-paused": Scalar.boolean(isPaused).bytes,
    ])
  }

  /// Takes over the parts that a state of a record names; throws what a timer cannot hold.
  mutating func take(_ bytes: [UInt8], of field: String) throws(RecordProblem) {
    switch (field, Scalar(bytes: bytes)) {
    case ("state", .text(let text)?):
      guard let kind = TimerKind(rawValue: text) else {
        let kinds = TimerKind.allCases.map(\.rawValue).joined(separator: ", ")
        throw RecordProblem("'state' is '\(text)'; it is one of \(kinds)")
      }
      self.kind = kind
    case ("state", _): kind = .idle
    case ("remaining", .integer(let milliseconds)?):
      guard (0...Self.longestMilliseconds).contains(milliseconds) else {
        throw RecordProblem("'remaining' is from 0 to 24h")
      }
      remainingMilliseconds = milliseconds
    case ("remaining", _): remainingMilliseconds = 0
    case ("is-paused", let value): isPaused = value == .boolean(true)
    default: break
    }
  }
}

/// Records that zones keep in an older form: how they read, and what is written to change them.
extension RecordSchema.Collection {
  /// What is in each field, in the order of the schema; nil for a record that is not there.
  func storedValues(of cell: Cell) -> [Scalar]? {
    if alias == .timerState {
      guard !cell.entries.isEmpty || cell.tally != Tally() else { return nil }
      let state = storedState(of: cell)?.recordState
      return fields.map { $0.rule.hasEpochs ? .integer(cell.tally.count) : state?.value($0.name) ?? .null }
    }
    guard !cell.fields.isEmpty else { return nil }
    return fields.map { field in
      let name = field.alias ?? field.name
      return cell.fields.first { $0.name == name }.map { field.scalar(storedAs: $0.value) } ?? .null
    }
  }

  /// The state of the timer that counts.
  private func storedState(of cell: Cell) -> TimerState? {
    var policy: any MergePolicy = Pomodoro.policy
    if let decide { policy = policy.deciding(by: decide) }
    return cell.reading(by: policy).flatMap { try? TimerState(payload: $0.winner.payload) }
  }

  /// A record as workflows see it, whatever its form; nil when it is not there.
  public func shown(_ cell: Cell) -> ValueObject? {
    guard alias != nil else { return record(cell, by: delete) }
    guard let values = storedValues(of: cell) else { return nil }
    var record = ValueObject(zip(fields, values).map { ($0.name, $0.value($1)) })
    for (name, text) in otherFields(of: cell) { record[name] = .string(text) }
    return record
  }

  /// The fields of a record that the schema does not name, where it allows for them.
  public func otherFields(of cell: Cell) -> [(name: String, text: String)] {
    guard hasOtherFields else { return [] }
    return cell.fields.compactMap { stored in
      if alias == nil {
        guard field(stored.name) == nil, case .text(let text)? = Scalar(bytes: stored.value) else { return nil }
        return (stored.name, text)
      }
      return field(storedAs: stored.name) == nil ? (stored.name, String(decoding: stored.value, as: UTF8.self)) : nil
    }
  }

  /// What changes a record as an edit says; `view` is the record now.
  public func action(_ edit: RecordEdit, over view: Cell) throws(RecordProblem) -> SyncMachine.Action {
    guard let alias else { return .init(record: edit) }
    if edit.isDeletion { throw RecordProblem("records of '\(name)' are kept as \(alias.rawValue) and never deleted") }
    var action = SyncMachine.Action()
    var state: TimerState?
    for (field, change) in edit.fields.sorted(by: { $0.key < $1.key }) {
      switch change {
      case .state(let bytes):
        var changed = state ?? storedState(of: view) ?? TimerState(kind: .idle)
        try changed.take(bytes, of: field)
        state = changed
      case .inEpoch(let bytes, let begins):
        guard case .integer(let count)? = Scalar(bytes: bytes), count >= 0 else {
          throw RecordProblem("'\(field)' is a whole number from 0")
        }
        guard !begins || count == 0 else { throw RecordProblem("'\(field)' restarts at 0") }
        action.tally = begins ? .reset : .atLeast(count)
      case .set(let bytes):
        let alias = self.field(field)?.alias ?? field
        action.fields.append(.init(name: alias, value: Array(Self.text(Scalar(bytes: bytes) ?? .null).utf8)))
      default: throw RecordProblem("'\(field)' cannot be changed in this way")
      }
    }
    action.payload = state?.payload
    return action
  }

  private static func text(_ scalar: Scalar) -> String {
    switch scalar {
    case .null: ""
    case .boolean(let flag): "\(flag)"
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .text(let text), .json(let text): text
    }
  }
}

extension RecordSchema.Field {
  /// The value that a text stands for.
  fileprivate func scalar(storedAs bytes: [UInt8]) -> Scalar {
    let text = String(decoding: bytes, as: UTF8.self)
    switch rule.type {
    case .integer, .duration: return Int64(text).map { .integer($0) } ?? .null
    case .boolean: return Bool(text).map { .boolean($0) } ?? .null
    default: return .text(text)
    }
  }
}

/// How the records of a schema are shown in a device's file, those in an older form included.
public struct StoredProjection: RecordProjection {
  private let records: SchemaProjection
  private let collections: [String: RecordSchema.Collection]

  /// Shows the collections of a schema.
  public init(_ schema: RecordSchema) {
    records = SchemaProjection(schema)
    collections = Dictionary(schema.collections.map { ($0.type, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The collection that the records of a type are shown in.
  public func collection(storedAs type: String) -> String? { collections[type]?.name }

  /// The row that shows a record; see `ShownRow`.
  public func row(of cell: Cell, key: RecordKey) -> [UInt8]? {
    guard let collection = collections[key.type] else { return nil }
    guard collection.alias != nil else { return records.row(of: cell, key: key) }
    guard let values = collection.storedValues(of: cell) else { return [] }
    let latest = cell.latestStamp
    return ShownRow(
      isDeleted: false, changedMilliseconds: latest?.milliseconds ?? 0, changedBy: latest?.device.name ?? "",
      values: values
    ).packed()
  }
}
