import FlowModel

/// What a program writes on its standard error, line by line, and the last lines for the message when it dies.
struct ChildLog {
  /// How many lines are kept.
  static let tailLines = 20
  /// How many bytes of each are kept.
  static let tailLineBytes = 1000

  private(set) var tail: [String] = []
  private var line: [UInt8] = []
  private var isCut = false

  /// Takes up what was read and gives the lines that are complete; one past 64 KiB is cut.
  mutating func append(_ chunk: UnsafeRawBufferPointer) -> [String] {
    var complete: [String] = []
    for piece in chunk.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      if piece.offset > 0, let line = takeLine() { complete.append(line) }
      let room = Limits.logLineBytes - line.count
      if piece.element.count > room { isCut = true }
      line.append(contentsOf: piece.element.prefix(room))
    }
    return complete
  }

  /// The line without an end that stands last, when the stream has ended.
  mutating func finish() -> String? { line.isEmpty ? nil : takeLine() }

  private mutating func takeLine() -> String? {
    defer {
      line.removeAll(keepingCapacity: line.capacity < 4096)
      isCut = false
    }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    let text = String(decoding: line, as: UTF8.self) + (isCut ? " … (cut at 64 KiB)" : "")
    if tail.count == Self.tailLines { tail.removeFirst() }
    tail.append(String(decoding: text.utf8.prefix(Self.tailLineBytes), as: UTF8.self))
    return text
  }

  /// `; its log ends with: …`, or nothing when there is no log.
  var explanation: String {
    tail.isEmpty ? "" : "; its log ends with:\n  " + tail.joined(separator: "\n  ")
  }
}
