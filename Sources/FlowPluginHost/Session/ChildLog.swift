import FlowModel
import FlowSystem

/// What a program writes on its standard error, line by line, and the last lines for the message when it dies.
struct ChildLog {
  /// How many lines are kept.
  static let tailLines = 20
  /// How many bytes of each are kept.
  static let tailLineBytes = 1000

  private(set) var tail: [String] = []
  private var line: [UInt8] = []
  private var isCut = false

  /// The lines that a piece of the stream completed.
  struct Lines: Equatable {
    /// Those that there was room for, each cut at 64 KiB.
    var texts: [String] = []
    /// How many followed that nobody wants; they cost hardly more than being counted.
    var dropped = 0
  }

  /// Takes up what was read and gives the first `room` lines that are complete.
  mutating func append(_ chunk: UnsafeRawBufferPointer, room: Int) -> Lines {
    var lines = Lines()
    var rest = chunk
    while lines.texts.count < room, let end = Self.lineEnd(in: rest) {
      add(rest[..<end])
      lines.texts.append(takeLine())
      rest = Self.after(end, in: rest)
    }
    lines.dropped = Self.lineEnds(in: rest)
    if lines.dropped > Self.tailLines {
      // Only the last ones can become part of a message.
      for _ in 0..<lines.dropped - Self.tailLines {
        if let end = Self.lineEnd(in: rest) { rest = Self.after(end, in: rest) }
      }
      forgetLine()
    }
    while let end = Self.lineEnd(in: rest) {
      add(rest[..<end])
      _ = takeLine()
      rest = Self.after(end, in: rest)
    }
    add(rest[...])
    return lines
  }

  /// The line without an end that stands last, when the stream has ended.
  mutating func finish() -> String? { line.isEmpty ? nil : takeLine() }

  private static func lineEnd(in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let base = bytes.baseAddress, let found = memchr(base, CInt(UInt8(ascii: "\n")), bytes.count) else {
      return nil
    }
    return UnsafeRawPointer(found) - base
  }

  private static func after(_ end: Int, in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[(end + 1)...])
  }

  private static func lineEnds(in bytes: UnsafeRawBufferPointer) -> Int {
    var count = 0
    var rest = bytes
    while let end = lineEnd(in: rest) {
      count += 1
      rest = after(end, in: rest)
    }
    return count
  }

  private mutating func add(_ bytes: Slice<UnsafeRawBufferPointer>) {
    let room = Limits.logLineBytes - line.count
    if bytes.count > room { isCut = true }
    line.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes.prefix(room)))
  }

  private mutating func forgetLine() {
    line.removeAll(keepingCapacity: line.capacity < 4096)
    isCut = false
  }

  private mutating func takeLine() -> String {
    defer { forgetLine() }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    let text = String(decoding: line, as: UTF8.self) + (isCut ? " … (cut at 64 KiB)" : "")
    if tail.count == Self.tailLines { tail.removeFirst() }
    tail.append(
      text.utf8.count <= Self.tailLineBytes
        ? text : String(decoding: text.utf8.prefix(Self.tailLineBytes), as: UTF8.self))
    return text
  }

  /// `; its log ends with: …`, or nothing when there is no log.
  var explanation: String {
    tail.isEmpty ? "" : "; its log ends with:\n  " + tail.joined(separator: "\n  ")
  }
}
