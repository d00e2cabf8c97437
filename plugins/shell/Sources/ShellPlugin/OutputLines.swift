import FlowModel
import FlowPluginKit
import FlowSystem

/// The lines of a command's outputs: logged as they arrive; the last ones are kept for the error message.
struct OutputLines {
  private let log: Log
  private var output = Self.splitter
  private var errors = Self.splitter
  /// The last lines of both outputs.
  private(set) var last = LastLines()

  /// A line may be one byte longer than the log accepts; the log then truncates it with a note.
  private static var splitter: LineSplitter {
    LineSplitter(longest: Limits.logLineBytes + 1, overwritten: LastLines.lineBytes)
  }

  /// Creates lines for the step of `context`.
  ///
  /// - Parameter onLine: called with each complete line.
  init(_ context: ActionContext, onLine: (@Sendable (UnsafeRawBufferPointer) -> Void)? = nil) {
    log = Log(context, onLine)
  }

  /// True if the run's log currently accepts more.
  var hasRoom: Bool { log.hasRoom }

  /// Adds data that was read.
  mutating func append(_ piece: UnsafeRawBufferPointer, from stream: LogStream) {
    switch stream {
    case .standardOutput: log.tell(piece, &output, &last, from: stream)
    case .standardError: log.tell(piece, &errors, &last, from: stream)
    }
  }

  /// Adds incomplete last lines.
  mutating func finish() {
    log.finish(&output, &last, from: .standardOutput)
    log.finish(&errors, &last, from: .standardError)
  }

  /// The log and its subscribers.
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
      // Consequences of a line appear after it in the log.
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
