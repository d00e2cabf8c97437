/// Splits the input from a client into messages. Each consists of a header `Content-Length: N`, an empty line and N
/// bytes.
struct FrameReader {
  /// The reason why the bytes are not valid messages. Nothing after them can be read.
  struct FrameProblem: Error, CustomStringConvertible {
    let description: String
  }

  /// The maximum sizes of a message and of its header, in bytes.
  static let messageLimit = 64 << 20
  static let headerLimit = 8 << 10

  private var bytes: [UInt8] = []
  private var start = 0

  /// Appends bytes that were read from the client.
  mutating func append(_ more: UnsafeRawBufferPointer) {
    if start > 0, start == bytes.count {
      bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 20)
      start = 0
    }
    bytes.append(contentsOf: more)
  }

  /// True if the input so far ends exactly at the end of a message.
  var isBetweenMessages: Bool { start == bytes.count }

  /// Removes and returns the next complete message. Returns nil if more input is needed.
  mutating func next() throws(FrameProblem) -> [UInt8]? {
    guard let (length, body) = try header() else { return nil }
    guard bytes.count - body >= length else { return nil }
    let message = Array(bytes[body..<body + length])
    start = body + length
    if start > 1 << 16 {
      bytes.removeSubrange(..<start)
      start = 0
    }
    return message
  }

  /// Returns the length given in the header of the next message, and the index at which its body starts. Returns nil if
  /// the header is incomplete.
  private func header() throws(FrameProblem) -> (length: Int, body: Int)? {
    var length: Int?
    var position = start
    while true {
      guard let end = bytes[position...].firstIndex(of: 0x0A) else {
        try checkBeginning(bytes[position...])
        return nil
      }
      var line = bytes[position..<end]
      position = end + 1
      if position - start > Self.headerLimit {
        throw FrameProblem(description: "the lines before a message have no end")
      }
      if line.last == 0x0D { line.removeLast() }
      if line.isEmpty {
        guard let length else { throw FrameProblem(description: "a message has no 'Content-Length'") }
        return (length, position)
      }
      try checkBeginning(line)
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
        throw outside(line)
      }
      let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
      guard name == "content-length" else { continue }
      let text = String(decoding: line[(colon + 1)...].filter { $0 != 0x20 }, as: UTF8.self)
      guard let number = Int(text), number >= 0 else {
        throw FrameProblem(description: "'Content-Length' is not a number: '\(text.prefix(40))'")
      }
      guard number <= Self.messageLimit else {
        throw FrameProblem(description: "a message has \(number) bytes, more than the limit of \(Self.messageLimit)")
      }
      length = number
    }
  }

  /// Throws an error unless a header line starts with a name of letters and dashes, followed by a colon. The line may
  /// be incomplete.
  private func checkBeginning(_ line: ArraySlice<UInt8>) throws(FrameProblem) {
    let name = line.prefix { $0 != UInt8(ascii: ":") }
    let isName = name.allSatisfy { $0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z") || $0 == 0x2D }
    if !isName && !(name.count == 1 && name.first == 0x0D) || name.count > 64 { throw outside(line) }
  }

  private func outside(_ line: ArraySlice<UInt8>) -> FrameProblem {
    FrameProblem(
      description:
        "expected 'Content-Length: N' before a message, found '\(String(decoding: line.prefix(60), as: UTF8.self))'")
  }
}
