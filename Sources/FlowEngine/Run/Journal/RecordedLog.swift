import FlowModel

/// Decides which output lines are recorded: the first and the last ones of each step, each up to half of the step's
/// limit.
struct RecordedLog {
  /// The limits that steps declare with `log-limit`, in bytes.
  private var statedBytes: [StepID: Int] = [:]
  /// The steps whose output lines are recorded, but not shown.
  private var quietSteps: Set<StepID> = []
  /// The limit of each other step: the default or, if less, an equal share of the rest of the workflow's limit, but at
  /// least ``Limits/leastLogBytes``.
  private let usualBytes: Int

  /// The size of the recorded lines that plugins have printed outside of steps, in bytes.
  private var pluginBytes = 0
  /// The numbers of unrecorded lines and their bytes, by plugin.
  private var dropped: [String: (lines: Int, bytes: Int)] = [:]
  private var logs: [StepID: Log] = [:]
  /// The steps with lines that are held back.
  private(set) var openSteps: Set<StepID> = []

  /// The recorded and held-back lines of a step, including those of its items.
  private struct Log {
    var recordedBytes = 0
    /// The number of lines that have been held back so far.
    var heldLines = 0
    /// The lines that are held back. The elements before `firstHeld` have been dropped.
    var held: [Content] = []
    var firstHeld = 0
    /// The size of the lines that are held back and have not been dropped, in bytes.
    var heldBytes = 0
    var missingLines = 0
    var missingBytes = 0

    var isHolding: Bool { !held.isEmpty }

    /// Records the lines at the beginning of `content` that are among the step's first `half` bytes. Returns their
    /// number and size.
    mutating func record(_ content: Content, half: Int) -> (count: Int, bytes: Int) {
      if isHolding || recordedBytes >= half { return (0, 0) }
      let recorded = content.extent(reaching: half - recordedBytes)
      recordedBytes += recorded.bytes
      return recorded
    }

    /// Holds lines back. Elements of `held` that are entirely beyond `half` bytes are dropped here;
    /// ``dropFirst(half:)`` drops single lines.
    mutating func hold(_ content: Content, half: Int) {
      held.append(content)
      heldLines += content.count
      heldBytes += content.byteCount
      while firstHeld < held.count - 1, heldBytes - held[firstHeld].byteCount >= half {
        drop((held[firstHeld].count, held[firstHeld].byteCount))
        firstHeld += 1
      }
      if firstHeld > held.count / 2, firstHeld > 64 {
        held.removeFirst(firstHeld)
        firstHeld = 0
      }
    }

    /// Drops the first lines until at most `half` bytes are left. The last line is never dropped.
    mutating func dropFirst(half: Int) {
      guard heldBytes > half else { return }
      let first = held[firstHeld]
      var extent = first.extent(reaching: heldBytes - half)
      if firstHeld == held.count - 1, extent.count == first.count {
        extent = (extent.count - 1, extent.bytes - first.lastByteCount)
      }
      drop(extent)
      if extent.count == first.count {
        firstHeld += 1
      } else if case .lines(let lines) = first {
        held[firstHeld] = .lines(lines.split(after: extent).1)
      }
    }

    private mutating func drop(_ lines: (count: Int, bytes: Int)) {
      heldBytes -= lines.bytes
      missingBytes += lines.bytes
      missingLines += lines.count
    }
  }

  /// A message, or output lines that were printed together.
  enum Content {
    case event(RunEvent)
    case lines(StepLines)

    /// The number of lines. A message counts as one.
    var count: Int {
      switch self {
      case .event: 1
      case .lines(let lines): lines.lines.count
      }
    }

    /// The size in bytes, including line breaks.
    var byteCount: Int {
      switch self {
      case .event(let event): RecordedLog.bytes(of: event)
      case .lines(let lines): lines.lines.byteCount
      }
    }

    /// The size of the last line in bytes, including its line break.
    fileprivate var lastByteCount: Int {
      switch self {
      case .event: byteCount
      case .lines(let lines): (lines.lines.last?.utf8.count ?? 0) + 1
      }
    }

    var events: [RunEvent] {
      switch self {
      case .event(let event): [event]
      case .lines(let lines): lines.events
      }
    }

    fileprivate func extent(reaching bytes: Int) -> (count: Int, bytes: Int) {
      switch self {
      case .event: (1, byteCount)
      case .lines(let lines): lines.lines.extent(reaching: bytes)
      }
    }
  }

  /// The size in bits of the line count, which is the low part of a held-back line's number. The high part is the
  /// epoch.
  static let countBits = 40
  /// The number that precedes that of the first held-back line. It depends on the epoch, so that numbers increase from
  /// epoch to epoch.
  private let firstNumber: Int

  /// Creates the log of a run in the given epoch.
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

  /// True if the output lines of the step are not shown.
  func isQuiet(_ id: StepID, showsOutput: Bool) -> Bool {
    !showsOutput || !quietSteps.isEmpty && quietSteps.contains(id.item?.step ?? id)
  }

  /// True if the event is an output line that is not shown. Messages of steps are always shown.
  func isQuiet(_ event: RunEvent, showsOutput: Bool) -> Bool {
    switch event.kind {
    case .stepLog(let id, _, _?, _): isQuiet(id, showsOutput: showsOutput)
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
    let half = half(of: step)
    if logs[step, default: Log()].record(.event(event), half: half).count > 0 { return .recorded }
    return .held(hold(.event(event), of: step, half: half))
  }

  /// Decides which of `lines` are recorded now. The others are held back, and `number` is the number of the first of
  /// them.
  mutating func place(_ lines: StepLines) -> (recorded: StepLines, held: StepLines, number: Int) {
    let step = lines.step.item?.step ?? lines.step
    let half = half(of: step)
    let first = logs[step, default: Log()].record(.lines(lines), half: half)
    let (recorded, held) = lines.split(after: first)
    if held.lines.isEmpty { return (recorded, held, 0) }
    return (recorded, held, hold(.lines(held), of: step, half: half))
  }

  private func half(of step: StepID) -> Int { (statedBytes[step] ?? usualBytes) / 2 }

  /// Holds lines back, and returns the number of the first of them.
  private mutating func hold(_ content: Content, of step: StepID, half: Int) -> Int {
    openSteps.insert(step)
    let number = firstNumber + logs[step, default: Log()].heldLines + 1
    logs[step, default: Log()].hold(content, half: half)
    return number
  }

  /// Lines that were held back.
  struct HeldLines {
    var content: Content
    /// The number of the first line.
    var number: Int
    /// True if this is a note about missing lines. Its number is the number of the last missing line.
    var isNote = false
  }

  /// Removes and returns the held-back lines of a step. A note precedes them if lines are missing.
  mutating func release(_ step: StepID) -> [HeldLines] {
    guard openSteps.remove(step) != nil, var log = logs.removeValue(forKey: step) else { return [] }
    log.dropFirst(half: half(of: step))
    let held = log.held[log.firstHeld...]
    let first = firstNumber + log.heldLines - held.reduce(0) { $0 + $1.count } + 1
    var lines: [HeldLines] = []
    if log.missingLines > 0, let content = held.first {
      let time =
        switch content {
        case .event(let event): event.atNanoseconds
        case .lines(let lines): lines.atNanoseconds
        }
      let text = Self.note(lines: log.missingLines, bytes: log.missingBytes)
      let note = RunEvent(atNanoseconds: time, .stepLog(step, level: .info, stream: nil, message: text))
      lines.append(HeldLines(content: .event(note), number: first - 1, isNote: true))
    }
    var number = first
    for content in held {
      lines.append(HeldLines(content: content, number: number))
      number += content.count
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

  /// Returns the text of a note that states the number of missing lines.
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
