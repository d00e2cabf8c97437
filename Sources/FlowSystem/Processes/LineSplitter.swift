/// Splits the output of a program, which arrives in pieces, into lines.
///
/// If a line is overwritten after carriage returns, as by a progress bar, only its last state is kept, as on a
/// terminal. On request, a limited number of overwritten bytes is kept as well. They precede the last state, separated
/// by a carriage return.
package struct LineSplitter {
  /// The maximum length of a line's last state in bytes.
  private let longest: Int
  /// The maximum number of overwritten bytes that are kept of a line.
  private let overwritten: Int
  /// The bytes of the last, incomplete line.
  private var begun: [UInt8] = []
  /// The index in `begun` at which the last state of the incomplete line starts.
  private var start = 0

  private static let lineEnd = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  /// Creates a splitter for lines of at most `longest` bytes.
  ///
  /// - Parameter overwritten: The number of overwritten bytes to keep. They are needed to find a secret that starts in
  ///   them and ends in the visible part.
  package init(longest: Int, overwritten: Int = 0) { (self.longest, self.overwritten) = (longest, overwritten) }

  /// The incomplete line without carriage returns at its end. Empty if there is none.
  package var unfinished: ArraySlice<UInt8> {
    begun.prefix(begun.count - Self.returnsAtEnd(of: begun[...]))
  }

  /// Adds a piece of output. Returns the number of lines that it completes.
  ///
  /// `body` is called with the first `room` of these lines and with the last ``LastLines/count``. The others are only
  /// counted.
  package mutating func append(
    _ piece: UnsafeRawBufferPointer, room: Int = .max, _ body: (UnsafeRawBufferPointer, _ isWithinRoom: Bool) -> Void
  ) -> Int {
    var rest = piece
    var count = 0
    while count < room, let line = Self.takeLine(from: &rest) {
      complete(line) { body($0, true) }
      count += 1
    }
    let others = Self.lineEnds(in: rest)
    if others > LastLines.count {
      (begun, start) = ([], 0)
      for _ in 0..<others - LastLines.count { _ = Self.takeLine(from: &rest) }
    }
    while let line = Self.takeLine(from: &rest) { complete(line) { body($0, false) } }
    if !rest.isEmpty { begin(rest) }
    return count + others
  }

  /// One or more complete lines of output.
  package enum Lines {
    /// Several lines, each with its line break. None of them is too long or contains overwritten text.
    case block(UnsafeRawBufferPointer)
    /// A single line without its line break.
    case line(UnsafeRawBufferPointer)
  }

  /// Adds a piece of output and calls `body` with the lines that it completes, as few times as possible.
  package mutating func append(_ piece: UnsafeRawBufferPointer, _ body: (Lines) -> Void) {
    var rest = piece
    if !begun.isEmpty, let line = Self.takeLine(from: &rest) { complete(line) { body(.line($0)) } }
    if begun.isEmpty, let end = rest.lastIndex(of: Self.lineEnd) {
      var lines = UnsafeRawBufferPointer(rebasing: rest[...end])
      rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
      if lines.count <= longest, memchr(lines.baseAddress!, CInt(Self.carriageReturn), lines.count) == nil {
        body(.block(lines))
      } else {
        while let line = Self.takeLine(from: &lines) { complete(line) { body(.line($0)) } }
      }
    }
    if !rest.isEmpty { begin(rest) }
  }

  /// Calls `body` with the last line if it has no line break.
  package mutating func finish(_ body: (UnsafeRawBufferPointer) -> Void) {
    if !begun.isEmpty { complete(UnsafeRawBufferPointer(start: nil, count: 0), body) }
  }

  private mutating func complete(_ end: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
    if begun.isEmpty { return body(kept(end)) }
    begin(end)
    unfinished.withUnsafeBytes(body)
    begun.removeAll(keepingCapacity: begun.capacity < 4096)
    start = 0
  }

  /// Adds to the incomplete line. Of overwritten bytes, only the last ones are kept.
  private mutating func begin(_ piece: UnsafeRawBufferPointer) {
    let line = UnsafeRawBufferPointer(rebasing: piece.dropLast(Self.returnsAtEnd(of: piece[...])))
    if begun.last == Self.carriageReturn, !line.isEmpty { start = begun.count }
    var shown = line
    if let found = line.lastIndex(of: Self.carriageReturn) {
      begun.append(contentsOf: line[max(0, found - overwritten)...found])
      start = begun.count
      shown = UnsafeRawBufferPointer(rebasing: line[(found + 1)...])
    }
    forgetOverwritten()
    begun.append(contentsOf: shown.prefix(max(0, longest - (begun.count - start))))
    if piece.last == Self.carriageReturn, begun.last != Self.carriageReturn { begun.append(Self.carriageReturn) }
  }

  private mutating func forgetOverwritten() {
    let kept = overwritten == 0 ? 0 : overwritten + 1
    guard start > kept else { return }
    begun.removeFirst(start - kept)
    start = kept
  }

  /// Returns the part of a complete line that is kept. Carriage returns at its end overwrite nothing, so they are
  /// removed.
  private func kept(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let line = UnsafeRawBufferPointer(rebasing: line.dropLast(Self.returnsAtEnd(of: line[...])))
    guard let found = line.lastIndex(of: Self.carriageReturn) else {
      return UnsafeRawBufferPointer(rebasing: line.prefix(longest))
    }
    let first = overwritten == 0 ? found + 1 : max(0, found - overwritten)
    return UnsafeRawBufferPointer(rebasing: line[first...].prefix(found + 1 - first + longest))
  }

  private static func returnsAtEnd(of line: some BidirectionalCollection<UInt8>) -> Int {
    line.reversed().prefix { $0 == carriageReturn }.count
  }

  /// Removes and returns the next complete line without its line break. Returns nil if there is none.
  private static func takeLine(from rest: inout UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard let base = rest.baseAddress, let found = memchr(base, CInt(lineEnd), rest.count) else { return nil }
    let end = UnsafeRawPointer(found) - base
    defer { rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...]) }
    return UnsafeRawBufferPointer(rebasing: rest[..<end])
  }

  private static func lineEnds(in bytes: UnsafeRawBufferPointer) -> Int {
    var rest = bytes
    var count = 0
    while takeLine(from: &rest) != nil { count += 1 }
    return count
  }
}
