import FlowModel
import FlowStore

/// A process that has executed a run. Each resume adds one.
package struct RunEpoch: Sendable, Hashable {
  /// The number of the epoch, counted from 1.
  package var epoch: Int
  /// The process and its host.
  package var holder: RunHolder
  /// The time at which the process started or resumed the run, in milliseconds since 1970.
  package var startedMilliseconds: Int
  /// True if the process could start steps on executors.
  package var hasRemoteSteps: Bool
  /// The executors of the process. Nil if it had none, or if it began the run; in that case, they are in the run's
  /// header.
  var remoteSteps: RemoteSteps?

  /// Creates an epoch without executors.
  package init(epoch: Int, holder: RunHolder, startedMilliseconds: Int, hasRemoteSteps: Bool = false) {
    self.epoch = epoch
    self.holder = holder
    self.startedMilliseconds = startedMilliseconds
    self.hasRemoteSteps = hasRemoteSteps
  }

  var value: Value {
    var object: ValueObject = [
      "epoch": .integer(epoch), "host": .string(holder.host), "pid": .integer(holder.process),
      "startedAt": .integer(startedMilliseconds), "away": .boolean(hasRemoteSteps),
    ]
    if let remoteSteps { object["executors"] = remoteSteps.value }
    return .object(object)
  }

  /// Reads an epoch from its ``value``. Returns nil if the value is invalid.
  init?(_ value: Value) {
    guard let object = value.objectValue, let epoch = object["epoch"]?.numberValue,
      let process = object["pid"]?.numberValue, let host = object["host"]?.stringValue,
      let started = object["startedAt"]?.numberValue
    else { return nil }
    self.init(
      epoch: Int(epoch), holder: RunHolder(process: Int(process), host: host), startedMilliseconds: Int(started),
      hasRemoteSteps: object["away"]?.booleanValue ?? false)
    remoteSteps = RemoteSteps(object["executors"])
  }
}
