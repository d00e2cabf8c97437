import FlowModel
import FlowStore

/// One process that a run has had.
public struct RunEpoch: Sendable, Hashable {
  /// Which: the first is 1.
  public var epoch: Int
  /// The process.
  public var holder: RunHolder
  /// Milliseconds since 1970 at which it began or continued.
  public var startedMilliseconds: Int
  /// Whether it sent steps away.
  public var hasRemoteSteps: Bool

  /// A process of a run.
  public init(epoch: Int, holder: RunHolder, startedMilliseconds: Int, hasRemoteSteps: Bool = false) {
    self.epoch = epoch
    self.holder = holder
    self.startedMilliseconds = startedMilliseconds
    self.hasRemoteSteps = hasRemoteSteps
  }

  /// As a chunk keeps it.
  var value: Value {
    [
      "epoch": .integer(epoch), "host": .string(holder.host), "pid": .integer(holder.process),
      "startedAt": .integer(startedMilliseconds), "away": .boolean(hasRemoteSteps),
    ]
  }

  /// Reads what ``value`` wrote; nil: it is none.
  init?(_ value: Value) {
    guard let object = value.objectValue, let epoch = object["epoch"]?.numberValue,
      let process = object["pid"]?.numberValue, let host = object["host"]?.stringValue,
      let started = object["startedAt"]?.numberValue
    else { return nil }
    self.init(
      epoch: Int(epoch), holder: RunHolder(process: Int(process), host: host), startedMilliseconds: Int(started),
      hasRemoteSteps: object["away"]?.booleanValue ?? false)
  }
}
