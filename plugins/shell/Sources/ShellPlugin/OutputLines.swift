import FlowModel
import FlowPluginKit
import FlowSystem

/// The lines of a command's outputs: told to the run's log as they come, and the last ones kept for the error message.
struct OutputLines {
  private let log: Log
  private var output = Self.splitter
  private var errors = Self.splitter
  /// The last lines of both outputs.
  private(set) var last = LastLines()

  /// A line may be a byte longer than the log takes, which then cuts it and says so.
  private static var splitter: LineSplitter {
    LineSplitter(longest: Limits.logLineBytes + 1, overwritten: LastLines.lineBytes)
  }

  /// Lines of the step of `context`.
  ///
  /// - Parameter onLine: called with each line that has ended.
  init(_ context: ActionContext, onLine: (@Sendable (UnsafeRawBufferPointer) -> Void)? = nil) {
    log = Log(context, onLine)
  }

  /// Whether the run's log takes more at the moment.
  var hasRoom: Bool { log.hasRoom }

  /// Takes up what was read.
  mutating func append(_ piece: UnsafeRawBufferPointer, from stream: LogStream) {
    switch stream {
    case .standardOutput: log.tell(piece, &output, &last, from: stream)
    case .standardError: log.tell(piece, &errors, &last, from: stream)
    }
  }

  /// Takes up the last lines, where they have no end.
  mutating func finish() {
    log.finish(&output, &last, from: .standardOutput)
    log.finish(&errors, &last, from: .standardError)
  }

  /// Where the lines go.
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
      // What follows from a line comes after it in the log.
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
