import FlowModel
import FlowPluginKit

/// What a run was begun with, as its journal keeps it: what a resume takes from there instead of working it out again.
/// Of the process's environment only what expressions read.
public struct RunHeader: Sendable {
  /// The values of the workflow's inputs.
  public var inputs: ValueObject = [:]
  /// Why the application was launched.
  public var launch = Launch()
  /// What the workflow's `env` said.
  public var environment: ValueObject = [:]
  /// The variables of the process that expressions had read; null for one that was not set.
  public var inherited: ValueObject = [:]
  /// The absolute path of the data folder.
  public var dataFolder = ""
  /// Where the draws for retries with jitter come from.
  public var jitterSeed: UInt64 = 0
  /// Whether the run was prewarmed.
  public var isPrewarmed = false
  /// Whether nothing began before all was on disk.
  public var isDurable = false
  /// Whether what steps gave has placeholders in the place of secrets.
  public var hasPlaceholders = false
  /// Whether steps were started remotely: some of them may continue for a while when the process is gone.
  public var hasRemoteSteps = false
  /// Steps that run though they are up to date.
  public var forcedSteps: [String] = []
  /// The steps that it was started for; nil: all.
  public var selection: StepSelection?
  /// The fingerprints of the programs of external plugins, by the plugin's name.
  public var programs: [String: String] = [:]

  /// How many idempotency keys steps, and items (`convert[3]`), have used that the file does not have now: one that comes back
  /// must not use them again.
  public var retiredKeys: [String: Int] = [:]

  /// A header with everything at its default.
  public init() {}

  /// As it is stored.
  public var bytes: [UInt8] {
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
    if let selection {
      object["selected"] = .array(selection.steps.map { .string($0) })
      object["selectedNeeds"] = .boolean(selection.includesNeeds)
    }
    return JSONText.bytes(of: .object(object))
  }

  /// Reads a stored one; nil: it is none.
  public init?(_ bytes: [UInt8]) {
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
    for (name, count) in object["retiredKeys"]?.objectValue ?? [:] { retiredKeys[name] = count.integerValue }
    for (name, digest) in object["programs"]?.objectValue ?? [:] { programs[name] = digest.stringValue }
  }
}
