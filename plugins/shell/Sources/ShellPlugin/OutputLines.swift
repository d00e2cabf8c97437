import FlowModel
import FlowPluginKit
import FlowSystem

/// The lines of a command's outputs: told to the run's log as they come, and the last ones kept for the error message.
struct OutputLines {
  private let context: ActionContext
  private let isTold: Bool
  private var partial: [LogStream: [UInt8]] = [:]
  /// The last lines of both outputs.
  private(set) var last = LastLines()

  private static let lineEnd = CInt(UInt8(ascii: "\n"))

  /// Lines of the step of `context`.
  init(_ context: ActionContext) {
    self.context = context
    isTold = context.host.showsOutput(of: context.step)
  }

  /// Whether the run's log takes more at the moment.
  var hasRoom: Bool { !isTold || context.host.hasLogRoom }

  /// Takes up what was read.
  mutating func append(_ piece: UnsafeRawBufferPointer, from stream: LogStream) {
    var texts: [String] = []
    var rest = piece
    while let base = rest.baseAddress, let found = memchr(base, Self.lineEnd, rest.count) {
      let end = UnsafeRawPointer(found) - base
      let line = UnsafeRawBufferPointer(rebasing: rest[..<end])
      rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
      guard let begun = partial.removeValue(forKey: stream) else {
        take(line, into: &texts)
        continue
      }
      (begun + line.prefix(Self.room(after: begun))).withUnsafeBytes { take($0, into: &texts) }
    }
    if !rest.isEmpty {
      let begun = partial[stream, default: []]
      partial[stream, default: []] += rest.prefix(Self.room(after: begun))
    }
    tell(texts, from: stream)
  }

  /// Takes up the last lines, where they have no end.
  mutating func finish() {
    for (stream, line) in partial.sorted(by: { $0.key.rawValue > $1.key.rawValue }) {
      var texts: [String] = []
      line.withUnsafeBytes { take($0, into: &texts) }
      tell(texts, from: stream)
    }
    partial = [:]
  }

  /// A line may be a byte longer than the log takes, which then cuts it and says so.
  private static func room(after begun: [UInt8]) -> Int { max(0, Limits.logLineBytes + 1 - begun.count) }

  private mutating func take(_ line: UnsafeRawBufferPointer, into texts: inout [String]) {
    let shown = Self.shown(line)
    last.append(shown)
    if isTold { texts.append(String(decoding: shown, as: UTF8.self)) }
  }

  /// What a terminal would show of a line: what stands behind the last return to its beginning.
  private static func shown(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let carriageReturn = UInt8(ascii: "\r")
    var line = line
    while line.last == carriageReturn { line = UnsafeRawBufferPointer(rebasing: line.dropLast()) }
    guard let place = line.lastIndex(of: carriageReturn) else { return line }
    return UnsafeRawBufferPointer(rebasing: line[(place + 1)...])
  }

  private func tell(_ texts: [String], from stream: LogStream) {
    if !texts.isEmpty { context.log(texts, from: stream) }
  }
}
