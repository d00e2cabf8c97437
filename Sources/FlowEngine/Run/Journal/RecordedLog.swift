import FlowModel

/// Selects the lines that the record of a run gets: all while there is room, and of each step at least the beginning and the end.
struct RecordedLog {
  /// Bytes of text that a run records, apart from the beginning and the end of each step's log.
  private let runBytes: Int
  /// Bytes of text that are recorded of the beginning and of the end of each step's log, whatever other steps print.
  private let edgeBytes: Int

  /// The bytes that a short line counts as, because each line of a record takes some room.
  private static let leastLineBytes = 32

  private var recordedBytes = 0
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

  init(runBytes: Int = 16 << 20, edgeBytes: Int = 64 << 10) { (self.runBytes, self.edgeBytes) = (runBytes, edgeBytes) }

  /// Returns whether a line is recorded now. Otherwise it is held back as one of the last lines of its step.
  mutating func accepts(_ event: RunEvent) -> Bool {
    guard case .stepLog(let id, _, _, let message) = event.kind else {
      if case .pluginLog(_, _, let message) = event.kind {
        guard recordedBytes < runBytes else { return false }
        recordedBytes += max(message.utf8.count, Self.leastLineBytes)
      }
      return true
    }
    let step = id.item?.step ?? id
    let count = Self.bytes(of: event)
    var log = logs.removeValue(forKey: step) ?? Log()
    defer { logs[step] = log }
    if log.held.isEmpty, recordedBytes < runBytes || log.recordedBytes < edgeBytes {
      log.recordedBytes += count
      recordedBytes += max(message.utf8.count, Self.leastLineBytes)
      return true
    }
    log.held.append(event)
    log.heldBytes += count
    while log.heldBytes > edgeBytes, log.firstHeld < log.held.count - 1 {
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
      let text = "[flowrun: \(count), \(log.missingBytes) bytes, \(verb) not recorded]"
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
