import SyncCore
import SyncRecords

/// How records that are kept under an older type are arbitrated and checked: as a schema says.
public struct StoredPolicy: MergePolicy {
  private let collections: [StoredType: (schema: RecordSchema.Collection, rules: ZoneRules)]
  private var decide: DecideRule

  /// The policy of a schema; for the types that it does not name, that of the timer's.
  public init(_ schema: RecordSchema) {
    var collections: [StoredType: (schema: RecordSchema.Collection, rules: ZoneRules)] = [:]
    for type in StoredType.allCases {
      let named = schema.collections.first { $0.alias == type }
      if let collection = named ?? Pomodoro.schema.collections.first(where: { $0.alias == type }) {
        collections[type] = (collection, collection.rules)
      }
    }
    self.collections = collections
    decide = collections[.timerState]?.schema.decide ?? DecideRule()
  }

  /// How far apart two states may be and still be concurrent (S18, C13).
  public var windowMilliseconds: Int64 { decide.windowMilliseconds }

  /// The rank of a state among the others; see `MergePolicy`.
  public func standing(of entry: Entry, atMilliseconds reference: Int64) -> Standing {
    guard let state = try? TimerState(payload: entry.payload) else { return Standing(priority: -1) }
    return decide.standing(
      of: state.recordState, setAtMilliseconds: entry.milliseconds, atMilliseconds: reference)
  }

  /// The collection of timers: a zone may keep another rule that decides.
  public func collection(storing type: String) -> String? {
    type == StoredType.timerState.rawValue ? StoredType.timerState.collection : nil
  }

  /// This policy with the rule that a zone keeps.
  public func deciding(by rule: DecideRule) -> any MergePolicy {
    var policy = self
    policy.decide = rule
    return policy
  }

  /// What keeps a write from being one of the record's collection.
  public func problem(with write: Write, for key: RecordKey) -> String? {
    guard let type = StoredType(rawValue: key.type), let (collection, rules) = collections[type] else {
      return
        "the zone has no record type '\(key.type)'; it has \(StoredType.allCases.map(\.rawValue).joined(separator: ", "))"
    }
    return rules.problem(withKey: key, by: write.dot.device)
      ?? (type == .timerState ? problem(withTimer: write, collection) : problem(withFields: write, collection))
  }

  /// What keeps a cell that is returned from being the record it is returned as: each of its parts is held to what a
  /// write of it is held to.
  public func problem(with cell: Cell, for key: RecordKey) -> String? {
    for entry in cell.entries {
      let write = Write(dot: entry.dot, milliseconds: entry.milliseconds, payload: entry.payload)
      if let problem = problem(with: write, for: key) { return problem }
    }
    let isTimer = key.type == StoredType.timerState.rawValue
    if cell.tally != Tally(), !isTimer { return "the record '\(key)' holds a count; only timers do" }
    for field in cell.fields {
      let write = Write(
        dot: Dot(device: field.stamp.device, number: 1), milliseconds: 0,
        fields: [.init(name: field.name, value: field.value)])
      if let problem = problem(with: write, for: key) { return problem }
    }
    guard cell.entries.isEmpty, cell.fields.isEmpty else { return nil }
    guard let type = StoredType(rawValue: key.type), let (_, rules) = collections[type], !isTimer else {
      let author = DeviceID(stem: "device", random: 0)
      return problem(with: Write(dot: Dot(device: author, number: 1), milliseconds: 0, tally: cell.tally), for: key)
    }
    // Of a record that only its own device may write, the writer is not known.
    return rules.problem(withKey: key, by: DeviceID(key.name) ?? DeviceID(stem: "device", random: 0))
  }

  private func problem(withTimer write: Write, _ collection: RecordSchema.Collection) -> String? {
    if !write.fields.isEmpty { return "a timer's write holds fields; only a state and a count are allowed" }
    if write.tally.count < 0 || write.tally.epoch < 0 { return "completedPomodoros is negative" }
    guard let payload = write.payload else { return nil }
    do {
      let state = try TimerState(payload: payload).recordState
      return collection.fields.lazy.compactMap { field in
        guard case .text(let text)? = state.value(field.name) else { return nil }
        return problem(with: text, field)
      }.first
    } catch {
      return "\(error)"
    }
  }

  private func problem(withFields write: Write, _ collection: RecordSchema.Collection) -> String? {
    if write.payload != nil { return "a write of \(collection.type) holds a state; only fields are allowed" }
    if write.fields.isEmpty { return "a write of \(collection.type) holds no field" }
    for change in write.fields {
      if let field = collection.field(storedAs: change.name) {
        if let problem = problem(with: String(decoding: change.value, as: UTF8.self), field) { return problem }
      } else if !collection.hasOtherFields {
        return "\(collection.type) has no field '\(change.name)'"
      }
    }
    return nil
  }

  private func problem(with text: String, _ field: RecordSchema.Field) -> String? {
    guard let choices = field.choices, !choices.contains(text) else { return nil }
    return "\(field.alias ?? field.name) is '\(text)', allowed are \(choices.joined(separator: ", "))"
  }
}
