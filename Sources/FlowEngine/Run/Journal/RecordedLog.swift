import FlowModel

/// Decides which output lines are recorded: the first and the last ones of each step, each up to half of the step's
/// limit.
struct RecordedLog {
  /// The limits that steps declare (`log-limit`), in bytes.
  private var statedBytes: [StepID: Int] = [:]
  /// The steps whose output lines are recorded, but not shown.
  private var quietSteps: Set<StepID> = []
  /// The limit of all other steps: the default or, if that is less, an equal share of the workflow's limit.
  private let usualBytes: Int

  /// The size of the recorded lines that plugins printed outside of steps, in bytes.
  private var pluginBytes = 0
  /// The numbers of lines and bytes that were not recorded, by plugin.
  private var dropped: [String: (lines: Int, bytes: Int)] = [:]
  private var logs: [StepID: Log] = [:]
  /// The steps with lines that are held back.
  private(set) var openSteps: Set<StepID> = []

  /// The recorded and held-back lines of a step, including those of its items.
  private struct Log {
    var recordedBytes = 0
    /// The number of lines held back so far.
    var heldLines = 0
    /// The lines held back. Those before `firstHeld` have been dropped.
    var held: [RunEvent] = []
    var firstHeld = 0
    var heldBytes = 0
    var missingLines = 0
    var missingBytes = 0

    /// Holds a line back, unless it is among the first lines, of which `half` bytes are recorded. Returns the number of
    /// lines held back so far, and true if no other line is being held back.
    mutating func hold(_ event: RunEvent, half: Int) -> (count: Int, isFirst: Bool)? {
      let bytes = RecordedLog.bytes(of: event)
      let isFirst = held.isEmpty
      if isFirst, recordedBytes < half {
        recordedBytes += bytes
        return nil
      }
      held.append(event)
      heldLines += 1
      heldBytes += bytes
      while heldBytes > half, firstHeld < held.count - 1 {
        let bytes = RecordedLog.bytes(of: held[firstHeld])
        heldBytes -= bytes
        missingBytes += bytes
        missingLines += 1
        firstHeld += 1
      }
      if firstHeld > held.count / 2, firstHeld > 64 {
        held.removeFirst(firstHeld)
        firstHeld = 0
      }
      return (heldLines, isFirst)
    }
  }

  /// The number of bits for the line count in the number of a held-back line. The epoch is in the bits above.
  static let countBits = 40
  /// The number before that of the first held-back line, so that lines of later epochs have higher numbers.
  private let firstNumber: Int

  /// Creates the log of a run in this epoch.
  init(_ workflow: Workflow, epoch: Int) {
    firstNumber = epoch << Self.countBits
    for step in workflow.steps where step.hasOptions {
      if step.options.isQuiet { quietSteps.insert(step.id) }
      guard let bytes = step.options.logLimitBytes else { continue }
      statedBytes[step.id] = min(bytes, workflow.logLimitBytes)
    }
    let others = max(1, workflow.steps.count - statedBytes.count)
    let share = (workflow.logLimitBytes - statedBytes.values.reduce(0, +)) / others
    usualBytes = min(max(share, Limits.leastLogBytes), Limits.usualStepLogBytes)
  }

  /// Creates a log in which every step has the same limit.
  init(stepBytes: Int = Limits.usualStepLogBytes) { (usualBytes, firstNumber) = (stepBytes, 0) }

  /// True if the event is an output line that is not shown. Messages of steps are always shown.
  func isQuiet(_ event: RunEvent, showsOutput: Bool) -> Bool {
    switch event.kind {
    case .stepLog(let id, _, _?, _): !showsOutput || !quietSteps.isEmpty && quietSteps.contains(id.item?.step ?? id)
    case .pluginLog: !showsOutput
    default: false
    }
  }

  /// The decision about a line.
  enum Place: Equatable {
    /// The line is recorded now.
    case recorded
    /// The line is held back as one of the last lines of its step, with this number.
    case held(Int)
    case dropped
  }

  /// Decides whether a line is recorded, held back or dropped.
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
    guard let (count, isFirst) = logs[step, default: Log()].hold(event, half: half) else { return .recorded }
    if isFirst { openSteps.insert(step) }
    return .held(firstNumber + count)
  }

  struct HeldLine {
    var event: RunEvent
    var number: Int
    /// True if the line is a note about missing lines. It has the number of the last of them.
    var isNote = false
  }

  /// Removes and returns the held-back lines of a step. If lines are missing, they are preceded by a note.
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

  /// Returns a note for each plugin with lines that were not recorded.
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

  /// Returns the text of a note about missing lines.
  static func note(lines: Int, bytes: Int?, canKeepMore: Bool = true) -> String {
    let count = lines == 1 ? "1 line" : "\(lines) lines"
    let size = bytes.map { ", \($0) bytes," } ?? ""
    let remedy = canKeepMore ? "; a larger log-limit keeps more" : ""
    return "[flowrun: \(count)\(size) \(lines == 1 ? "is" : "are") not recorded\(remedy)]"
  }

  /// The size of a line in bytes, including its line break.
  private static func bytes(of event: RunEvent) -> Int {
    if case .stepLog(_, _, _, let message) = event.kind { message.utf8.count + 1 } else { 0 }
  }
}
