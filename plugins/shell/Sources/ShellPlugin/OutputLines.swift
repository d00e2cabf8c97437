import FlowModel
import FlowPluginKit
import FlowSystem

/// Splits the output of a command into lines and logs them as they arrive. The last lines are kept for the error
/// message.
struct OutputLines {
  private let log: Log
  private var output = Self.splitter
  private var errors = Self.splitter
  /// The last lines of both streams.
  private(set) var last = LastLines()

  /// Lines can be one byte longer than the log accepts. The log truncates such a line and notes that.
  private static var splitter: LineSplitter {
    LineSplitter(longest: Limits.logLineBytes + 1, overwritten: LastLines.lineBytes)
  }

  /// Creates the lines of the step of `context`.
  ///
  /// - Parameter onLine: called with each complete line.
  init(_ context: ActionContext, onLine: (@Sendable (UnsafeRawBufferPointer) -> Void)? = nil) {
    log = Log(context, onLine)
  }

  /// True if the run's log accepts more lines now.
  var hasRoom: Bool { log.hasRoom }

  mutating func append(_ piece: UnsafeRawBufferPointer, from stream: LogStream) {
    switch stream {
    case .standardOutput: log.tell(piece, &output, &last, from: stream)
    case .standardError: log.tell(piece, &errors, &last, from: stream)
    }
  }

  /// Logs the incomplete last line of each stream.
  mutating func finish() {
    log.finish(&output, &last, from: .standardOutput)
    log.finish(&errors, &last, from: .standardError)
  }

  /// Logs lines and passes them to `onLine`.
  private struct Log {
    private let context: ActionContext
    private let isTold: Bool
    private let isToldUnfinished: Bool
    private let onLine: (@Sendable (UnsafeRawBufferPointer) -> Void)?

    init(_ context: ActionContext, _ onLine: (@Sendable (UnsafeRawBufferPointer) -> Void)?) {
      self.context = context
      self.onLine = onLine
      isTold = context.host.showsOutput(of: context.step)
      isToldUnfinished = isTold && context.host.showsUnfinishedLines
    }

    var hasRoom: Bool { !isTold || context.host.hasLogRoom }

    func tell(
      _ piece: UnsafeRawBufferPointer, _ splitter: inout LineSplitter, _ last: inout LastLines, from stream: LogStream
    ) {
      var texts: [String] = []
      var whole: [[UInt8]] = []
      _ = splitter.append(piece) { line, _ in
        last.append(line)
        if onLine != nil { whole.append(Array(line)) }
        if isTold { texts.append(String(decoding: line, as: UTF8.self)) }
      }
      if !texts.isEmpty { context.log(texts, from: stream) }
      // Log lines caused by a line must follow it in the log.
      for line in whole { line.withUnsafeBytes { onLine?($0) } }
      guard isToldUnfinished else { return }
      let unfinished = splitter.unfinished
      if !unfinished.isEmpty { context.showUnfinished(String(decoding: unfinished, as: UTF8.self), from: stream) }
    }

    func finish(_ splitter: inout LineSplitter, _ last: inout LastLines, from stream: LogStream) {
      splitter.finish { line in
        last.append(line)
        if isTold { context.log([String(decoding: line, as: UTF8.self)], from: stream) }
      }
    }
  }
}
