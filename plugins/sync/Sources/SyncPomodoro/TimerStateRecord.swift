import FlowModel
import SyncCore
import SyncEngine

/// The timer's record as `CD_TimerState` with seven named fields, the format of the seed app (S6, S9).
package struct TimerStateRecord: Hashable, Sendable {
  /// The name of the device that set the state.
  package var deviceID: String
  /// The state, written as `stateType`, `isPaused` and, in `stateData`, `remainingSeconds`.
  package var state: TimerState
  /// The time of the user's action, in milliseconds since 1970.
  package var timestamp: Int64
  package var completedPomodoros: Int64
  /// The number of the write among all writes of the device.
  package var version: Int64

  package init(deviceID: String, state: TimerState, timestamp: Int64, completedPomodoros: Int64, version: Int64) {
    self.deviceID = deviceID
    self.state = state
    self.timestamp = timestamp
    self.completedPomodoros = completedPomodoros
    self.version = version
  }

  /// Reads the timer as shown on a device; see `init(cell:decide:)`.
  package init?(_ machine: SyncMachine) {
    self.init(cell: machine.view(of: Pomodoro.timer), decide: machine.decide(of: Pomodoro.timer))
  }

  /// Reads the timer in a cell. Returns nil if it has not been set or was deleted, or if this version cannot read its
  /// state.
  package init?(cell: Cell, decide: DecideRule = Pomodoro.decide) {
    guard !cell.content.living.isEmpty, let winner = cell.reading(by: decide)?.winner,
      let state = TimerState(payload: winner.payload)
    else { return nil }
    self.init(
      deviceID: winner.dot.device.name, state: state, timestamp: winner.milliseconds,
      completedPomodoros: Self.completed(in: cell), version: winner.dot.number)
  }

  /// Returns the number of completed pomodoros in a cell, or 0 if it was never set.
  package static func completed(in cell: Cell) -> Int64 {
    guard case .largest(let bytes)? = cell.content.part(Pomodoro.completed)?.state,
      let value = EpochValue.read(bytes)?.value, case .integer(let count)? = Scalar(bytes: value)
    else { return 0 }
    return count
  }

  /// An edit that sets the timer to this record. The number of completed pomodoros only increases (S19).
  package var edit: RecordEdit {
    var edit = state.edit()
    edit.fields[Pomodoro.completed] = .inEpoch(Scalar.integer(completedPomodoros).bytes, begins: false)
    return edit
  }

  /// The reason why a value is not a valid record.
  package struct FieldProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the field, such as `isPaused` or `stateData.remainingSeconds`.
    package var field: String
    /// The problem with the field, with the expected value.
    package var message: String
    package var description: String { "CD_TimerState.\(field) \(message)" }
  }

  /// The names of the required fields.
  package static let fields = [
    "deviceID", "stateType", "stateData", "timestamp", "isPaused", "completedPomodoros", "version",
  ]

  /// Reads a record. Throws a `FieldProblem` if a field is missing or has another type (S9).
  package init(_ object: ValueObject) throws(FieldProblem) {
    for field in Self.fields where object[field] == nil { throw FieldProblem(field: field, message: "is missing") }
    deviceID = try Self.read("deviceID", "a text", object, \.stringValue)
    timestamp = try Self.read("timestamp", "a whole number of milliseconds from 0", object, Self.natural)
    completedPomodoros = try Self.read("completedPomodoros", "a whole number from 0", object, Self.natural)
    version = try Self.read("version", "a whole number from 0", object, Self.natural)
    let isPaused = try Self.read("isPaused", "true or false", object, \.booleanValue)
    let type = try Self.read("stateType", "a text", object, \.stringValue)
    guard let kind = TimerKind(rawValue: type) else {
      let allowed = TimerKind.allCases.map(\.rawValue).joined(separator: ", ")
      throw FieldProblem(field: "stateType", message: "is '\(type)', allowed are \(allowed)")
    }
    state = TimerState(kind: kind, isPaused: isPaused)
    let data = try Self.read("stateData", "a text that holds a JSON object", object, \.stringValue)
    try state.take(stateData: data)
  }

  /// The record as an object, in the format that `init(_:)` reads.
  package var value: ValueObject {
    ValueObject([
      ("deviceID", .string(deviceID)), ("stateType", .string(state.kind.rawValue)),
      ("stateData", .string(state.stateData)), ("timestamp", .integer(Int(timestamp))),
      ("isPaused", .boolean(state.isPaused)), ("completedPomodoros", .integer(Int(completedPomodoros))),
      ("version", .integer(Int(version))),
    ])
  }

  private static func natural(_ value: Value) -> Int64? {
    value.integerValue.flatMap { $0 >= 0 && $0 <= Stamp.latestMilliseconds ? Int64($0) : nil }
  }

  private static func read<Read>(
    _ field: String, _ expected: String, _ object: ValueObject, _ convert: (Value) -> Read?
  ) throws(FieldProblem) -> Read {
    let value = object[field] ?? .null
    guard let read = convert(value) else {
      throw FieldProblem(field: field, message: "is \(JSONText.write(value)), expected \(expected)")
    }
    return read
  }
}

extension TimerState {
  /// The value of `stateData`: a JSON object with `remainingSeconds` and all unknown members.
  package var stateData: String {
    var object = (try? JSONText.parse(extra).objectValue) ?? ValueObject()
    object["remainingSeconds"] =
      remainingMilliseconds % 1000 == 0
      ? .integer(Int(remainingMilliseconds / 1000)) : .number(Double(remainingMilliseconds) / 1000)
    return JSONText.write(.object(object))
  }

  mutating func take(stateData text: String) throws(TimerStateRecord.FieldProblem) {
    var object: ValueObject
    do {
      guard let read = try JSONText.parse(text).objectValue else {
        throw TimerStateRecord.FieldProblem(field: "stateData", message: "is not a JSON object")
      }
      object = read
    } catch let problem as TimerStateRecord.FieldProblem {
      throw problem
    } catch {
      throw TimerStateRecord.FieldProblem(field: "stateData", message: "is not JSON: \(error)")
    }
    let remaining = object["remainingSeconds"] ?? .integer(0)
    guard let seconds = remaining.numberValue, seconds >= 0, seconds * 1000 <= Double(Self.longestMilliseconds) else {
      throw TimerStateRecord.FieldProblem(
        field: "stateData.remainingSeconds",
        message: "is \(JSONText.write(remaining)), expected a number of seconds from 0 to 86400")
    }
    remainingMilliseconds = Int64((seconds * 1000).rounded())
    object["remainingSeconds"] = nil
    extra = object.isEmpty ? [] : JSONText.bytes(of: .object(object))
  }
}
