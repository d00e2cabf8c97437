import FlowModel

/// Selects the lines that the record of a run gets: of each step the beginning and the end, each half of the step's limit.
struct RecordedLog {
  /// The limits of steps that state one.
  private var statedBytes: [StepID: Int] = [:]
  /// The limit of each other step: the usual one, or an equal share of the workflow's.
  private let usualBytes: Int

  /// Bytes that are recorded of what plugins print outside of steps.
  private var pluginBytes = 0
  private var logs: [StepID: Log] = [:]
  /// The steps with lines that are held back.
  private(set) var openSteps: Set<StepID> = []

  /// The log of a step and its items.
  private struct Log {
    var recordedBytes = 0
    /// The last lines, from `firstHeld` on.
    var held: [RunEvent] = []
    var firstHeld = 0
    var heldBytes = 0
    var missingLines = 0
    var missingBytes = 0
  }

  /// The log of a run of a workflow.
  init(_ workflow: Workflow) {
    for step in workflow.steps where step.hasOptions {
      guard let bytes = step.options.logLimitBytes else { continue }
      statedBytes[step.id] = min(bytes, workflow.logLimitBytes)
    }
    let others = max(1, workflow.steps.count - statedBytes.count)
    let share = (workflow.logLimitBytes - statedBytes.values.reduce(0, +)) / others
    usualBytes = min(max(share, Limits.leastLogBytes), Limits.usualStepLogBytes)
  }

  /// A log in which every step has this limit.
  init(stepBytes: Int = Limits.usualStepLogBytes) { usualBytes = stepBytes }

  /// Returns whether a line is recorded now. Otherwise it is held back as one of the last lines of its step.
  mutating func accepts(_ event: RunEvent) -> Bool {
    guard case .stepLog(let id, _, _, _) = event.kind else {
      if case .pluginLog(_, _, let message) = event.kind {
        guard pluginBytes < Limits.usualStepLogBytes else { return false }
        pluginBytes += message.utf8.count + 1
      }
      return true
    }
    let step = id.item?.step ?? id
    let half = (statedBytes[step] ?? usualBytes) / 2
    let count = Self.bytes(of: event)
    var log = logs.removeValue(forKey: step) ?? Log()
    defer { logs[step] = log }
    if log.held.isEmpty, log.recordedBytes < half {
      log.recordedBytes += count
      return true
    }
    log.held.append(event)
    log.heldBytes += count
    while log.heldBytes > half, log.firstHeld < log.held.count - 1 {
      let bytes = Self.bytes(of: log.held[log.firstHeld])
      log.heldBytes -= bytes
      log.missingBytes += bytes
      log.missingLines += 1
      log.firstHeld += 1
    }
    if log.firstHeld > log.held.count / 2, log.firstHeld > 64 {
      log.held.removeFirst(log.firstHeld)
      log.firstHeld = 0
    }
    openSteps.insert(step)
    return false
  }

  /// Returns the lines of a step that were held back, after one that states how many are missing.
  mutating func release(_ step: StepID) -> [RunEvent] {
    guard openSteps.remove(step) != nil, var log = logs.removeValue(forKey: step) else { return [] }
    var lines = Array(log.held[log.firstHeld...])
    if log.missingLines > 0, let first = lines.first {
      let count = log.missingLines == 1 ? "1 line" : "\(log.missingLines) lines"
      let verb = log.missingLines == 1 ? "is" : "are"
      let text = "[flowrun: \(count), \(log.missingBytes) bytes, \(verb) not recorded; a larger log-limit keeps more]"
      lines.insert(
        RunEvent(
          atNanoseconds: first.atNanoseconds, .stepLog(step, level: .info, stream: nil, message: text)), at: 0)
    }
    log.recordedBytes += log.heldBytes
    (log.held, log.firstHeld, log.heldBytes, log.missingLines, log.missingBytes) = ([], 0, 0, 0, 0)
    logs[step] = log
    return lines
  }

  /// The bytes of a line with its line break.
  private static func bytes(of event: RunEvent) -> Int {
    if case .stepLog(_, _, _, let message) = event.kind { message.utf8.count + 1 } else { 0 }
  }
}
