import FlowModel
import FlowPluginKit
import FlowSystem

/// Splits a command's output into lines and logs them as they arrive. The last lines are kept for error messages.
struct OutputLines {
  private let log: Log
  private var output = Self.splitter
  private var errors = Self.splitter
  /// The last lines of both streams, in order of arrival.
  private(set) var last = LastLines()

  /// A splitter whose lines may be one byte longer than the log accepts. The log truncates such a line and adds a note.
  private static var splitter: LineSplitter {
    LineSplitter(longest: Limits.logLineBytes + 1, overwritten: LastLines.lineBytes)
  }

  /// Creates a splitter that logs the lines for the step of `context`.
  ///
  /// - Parameter onLine: called with each complete line, after the line has been logged.
  init(_ context: ActionContext, onLine: (@Sendable (UnsafeRawBufferPointer) -> Void)? = nil) {
    log = Log(context, onLine)
  }

  /// True if the run's log currently accepts more lines.
  var hasRoom: Bool { log.hasRoom }

  mutating func append(_ piece: UnsafeRawBufferPointer, from stream: LogStream) {
    switch stream {
    case .standardOutput: log.tell(piece, &output, &last, from: stream)
    case .standardError: log.tell(piece, &errors, &last, from: stream)
    }
  }

  /// Logs the last line of each stream if it is incomplete.
  mutating func finish() {
    log.finish(&output, &last, from: .standardOutput)
    log.finish(&errors, &last, from: .standardError)
  }

  /// Logs lines, records the last ones and passes each line to `onLine`.
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
      var bytes: [UInt8] = []
      var longest = 0
      splitter.append(piece) { lines in
        switch lines {
        case .block(let block):
          last.append(block: block)
          bytes += block
          longest = max(longest, block.count - 1)
        case .line(let line):
          last.append(line)
          bytes += line
          bytes.append(UInt8(ascii: "\n"))
          longest = max(longest, line.count)
        }
      }
      if !bytes.isEmpty, isTold { context.log(PrintedLines(decoding: bytes, longest: longest), from: stream) }
      if let onLine {
        // `onLine` is called after logging, so that messages that it causes follow the line in the log.
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
          line.withUnsafeBytes(onLine)
        }
      }
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
