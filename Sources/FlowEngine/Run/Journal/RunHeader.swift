import FlowModel
import FlowPluginKit

/// The inputs and settings of a run, which its journal records for a resume. Of the environment, it contains only the
/// variables that expressions have read.
package struct RunHeader: Sendable {
  /// The values of the workflow's inputs.
  package var inputs: ValueObject = [:]
  /// The launch that the run belongs to.
  package var launch = Launch()
  /// The values of the workflow's `env`.
  package var environment: ValueObject = [:]
  /// The variables of the process that expressions have read, with null for those that were not set.
  package var inherited: ValueObject = [:]
  /// The absolute path of the data folder.
  package var dataFolder = ""
  /// The seed for the random part of pauses before retries.
  package var jitterSeed: UInt64 = 0
  /// True if the run was prewarmed before its activation.
  package var isPrewarmed = false
  /// True if every step's start was recorded on disk before the step began.
  package var isDurable = false
  /// True if inputs and outputs have placeholders instead of secrets.
  package var hasPlaceholders = false
  /// True if the run could start steps on executors. Some may still be running after the process of the run has ended.
  package var hasRemoteSteps = false
  /// The executors of the first process of the run, or nil if it had none.
  var remoteSteps: RemoteSteps?
  /// The steps that run even if they are up to date.
  package var forcedSteps: [String] = []
  /// The selected steps, or nil if all steps run.
  package var selection: StepSelection?
  /// The fingerprints of the programs of external plugins, by plugin name.
  package var programs: [String: String] = [:]

  /// For steps and items such as `convert[3]` that were removed from the file, the number of idempotency keys that they
  /// had used. If one is added again, it must use new keys.
  package var retiredKeys: [String: Int] = [:]

  /// Creates a header with default values.
  package init() {}

  /// The header as JSON, in the form that the journal stores.
  package var bytes: [UInt8] {
    var digests = ValueObject()
    for (name, digest) in programs.sorted(by: { $0.key < $1.key }) { digests[name] = .string(digest) }
    var retired = ValueObject()
    for (name, count) in retiredKeys.sorted(by: { $0.key < $1.key }) { retired[name] = .integer(count) }
    var object: ValueObject =
      [
        "programs": .object(digests), "inputs": .object(inputs), "environment": .object(environment),
        "inherited": .object(inherited),
        "data": .string(dataFolder),
        "launch": [
          "reason": .string(launch.reason.rawValue), "options": .object(launch.options),
          "first": .boolean(launch.isFirst),
        ],
        "jitterSeed": .string(String(jitterSeed)), "prewarmed": .boolean(isPrewarmed), "durable": .boolean(isDurable),
        "marks": .boolean(hasPlaceholders),
        "away": .boolean(hasRemoteSteps), "forced": .array(forcedSteps.map { .string($0) }),
        "retiredKeys": .object(retired),
      ]
    if let remoteSteps { object["executors"] = remoteSteps.value }
    if let selection {
      object["selected"] = .array(selection.steps.map { .string($0) })
      object["selectedNeeds"] = .boolean(selection.includesNeeds)
    }
    return JSONText.bytes(of: .object(object))
  }

  /// Reads a stored header. Returns nil if it is invalid.
  package init?(_ bytes: [UInt8]) {
    guard case .object(let object)? = try? JSONText.parse(bytes),
      let launch = object["launch"]?.objectValue,
      let reason = launch["reason"]?.stringValue.flatMap({ LaunchReason(rawValue: $0) })
    else { return nil }
    inputs = object["inputs"]?.objectValue ?? [:]
    environment = object["environment"]?.objectValue ?? [:]
    inherited = object["inherited"]?.objectValue ?? [:]
    dataFolder = object["data"]?.stringValue ?? ""
    self.launch = Launch(
      reason: reason, options: launch["options"]?.objectValue ?? [:], isFirst: launch["first"]?.booleanValue ?? false)
    jitterSeed = object["jitterSeed"]?.stringValue.flatMap { UInt64($0) } ?? 0
    isPrewarmed = object["prewarmed"]?.booleanValue ?? false
    isDurable = object["durable"]?.booleanValue ?? false
    hasPlaceholders = object["marks"]?.booleanValue ?? false
    forcedSteps = object["forced"]?.arrayValue?.compactMap(\.stringValue) ?? []
    if let steps = object["selected"]?.arrayValue {
      selection = StepSelection(
        steps.compactMap(\.stringValue), includesNeeds: object["selectedNeeds"]?.booleanValue ?? true)
    }
    hasRemoteSteps = object["away"]?.booleanValue ?? false
    remoteSteps = RemoteSteps(object["executors"])
    for (name, count) in object["retiredKeys"]?.objectValue ?? [:] { retiredKeys[name] = count.integerValue }
    for (name, digest) in object["programs"]?.objectValue ?? [:] { programs[name] = digest.stringValue }
  }
}
