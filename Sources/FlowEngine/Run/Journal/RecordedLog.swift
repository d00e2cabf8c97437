import FlowModel

/// Selects the lines that the record of a run gets: of each step the beginning and the end, each half of the step's limit.
struct RecordedLog {
  /// The limits of steps that state one.
  private var statedBytes: [StepID: Int] = [:]
  /// The limit of each other step: the usual one, or an equal share of the workflow's.
  private let usualBytes: Int

  /// Bytes that are recorded of what plugins print outside of steps.
  private var pluginBytes = 0
  /// The lines of plugins that are not recorded.
  private var dropped: [String: (lines: Int, bytes: Int)] = [:]
  private var logs: [StepID: Log] = [:]
  /// The steps with lines that are held back.
  private(set) var openSteps: Set<StepID> = []

  /// The log of a step and its items.
  private struct Log {
    var recordedBytes = 0
    /// The number of lines that were ever held back.
    var heldLines = 0
    /// The last lines, from `firstHeld` on.
    var held: [RunEvent] = []
    var firstHeld = 0
    var heldBytes = 0
    var missingLines = 0
    var missingBytes = 0
  }

  /// The number of bits that count held lines in an epoch of a run, below those of the epoch.
  static let countBits = 40
  /// The number added to that of a held line, so that lines of a later epoch have higher ones.
  private let firstNumber: Int

  /// The log of a run of a workflow, in an epoch.
  init(_ workflow: Workflow, epoch: Int) {
    firstNumber = epoch << Self.countBits
    for step in workflow.steps where step.hasOptions {
      guard let bytes = step.options.logLimitBytes else { continue }
      statedBytes[step.id] = min(bytes, workflow.logLimitBytes)
    }
    let others = max(1, workflow.steps.count - statedBytes.count)
    let share = (workflow.logLimitBytes - statedBytes.values.reduce(0, +)) / others
    usualBytes = min(max(share, Limits.leastLogBytes), Limits.usualStepLogBytes)
  }

  /// A log in which every step has this limit.
  init(stepBytes: Int = Limits.usualStepLogBytes) { (usualBytes, firstNumber) = (stepBytes, 0) }

  /// The fate of a line.
  enum Place: Equatable {
    /// It is recorded now.
    case recorded
    /// It is held back as one of the last lines of its step, of which it is the one with this number.
    case held(Int)
    case dropped
  }

  /// Decides what becomes of a line.
  mutating func place(_ event: RunEvent) -> Place {
    guard case .stepLog(let id, _, _, _) = event.kind else {
      if case .pluginLog(let plugin, _, let message) = event.kind {
        let count = message.utf8.count + 1
        guard pluginBytes < Limits.usualStepLogBytes else {
          let known = dropped[plugin] ?? (0, 0)
          dropped[plugin] = (known.lines + 1, known.bytes + count)
          return .dropped
        }
        pluginBytes += count
      }
      return .recorded
    }
    let step = id.item?.step ?? id
    let half = (statedBytes[step] ?? usualBytes) / 2
    let count = Self.bytes(of: event)
    var log = logs.removeValue(forKey: step) ?? Log()
    defer { logs[step] = log }
    if log.held.isEmpty, log.recordedBytes < half {
      log.recordedBytes += count
      return .recorded
    }
    log.held.append(event)
    log.heldLines += 1
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
    return .held(firstNumber + log.heldLines)
  }

  /// A line that was held back.
  struct HeldLine {
    var event: RunEvent
    var number: Int
    /// Whether it is in place of lines that are missing, the last of which has the number.
    var isNote = false
  }

  /// Returns the lines of a step that were held back, after one that states how many are missing.
  mutating func release(_ step: StepID) -> [HeldLine] {
    guard openSteps.remove(step) != nil, var log = logs.removeValue(forKey: step) else { return [] }
    let held = log.held[log.firstHeld...]
    let first = firstNumber + log.heldLines - held.count + 1
    var lines = zip(held, first...).map { HeldLine(event: $0, number: $1) }
    if log.missingLines > 0, let event = held.first {
      let text = Self.note(lines: log.missingLines, bytes: log.missingBytes)
      let note = RunEvent(
        atNanoseconds: event.atNanoseconds, .stepLog(step, level: .info, stream: nil, message: text))
      lines.insert(HeldLine(event: note, number: first - 1, isNote: true), at: 0)
    }
    log.recordedBytes += log.heldBytes
    (log.held, log.firstHeld, log.heldBytes, log.missingLines, log.missingBytes) = ([], 0, 0, 0, 0)
    logs[step] = log
    return lines
  }

  /// Returns a line for each plugin with lines that are not recorded, as the record has it.
  func droppedLines(at nanoseconds: Int) -> [ValueObject] {
    dropped.sorted { $0.key < $1.key }.map { plugin, count in
      var line = RunEvent(
        atNanoseconds: nanoseconds,
        .pluginLog(
          plugin: plugin, stream: .standardError,
          message: Self.note(lines: count.lines, bytes: count.bytes, canKeepMore: false))
      ).value
      line["stream"] = nil
      return line
    }
  }

  /// The line in place of lines that are missing.
  static func note(lines: Int, bytes: Int?, canKeepMore: Bool = true) -> String {
    let count = lines == 1 ? "1 line" : "\(lines) lines"
    let size = bytes.map { ", \($0) bytes," } ?? ""
    let remedy = canKeepMore ? "; a larger log-limit keeps more" : ""
    return "[flowrun: \(count)\(size) \(lines == 1 ? "is" : "are") not recorded\(remedy)]"
  }

  /// The bytes of a line with its line break.
  private static func bytes(of event: RunEvent) -> Int {
    if case .stepLog(_, _, _, let message) = event.kind { message.utf8.count + 1 } else { 0 }
  }
}
