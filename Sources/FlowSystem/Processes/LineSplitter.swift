/// The lines of an output of a program, which comes in pieces.
///
/// Of a line that is written over, as a progress bar does with carriage returns, the last state counts: what a terminal
/// would show.
package struct LineSplitter {
  /// How many bytes of a line are kept; what is behind them is passed over.
  private let longest: Int
  /// What has come of a line whose end has not.
  private var begun: [UInt8] = []

  private static let lineEnd = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  /// Lines of at most `longest` bytes.
  package init(longest: Int) { self.longest = longest }

  /// What a terminal shows of the line whose end has not come; empty where none has begun.
  package var unfinished: ArraySlice<UInt8> {
    begun.prefix(begun.count - Self.returnsAtEnd(of: begun[...]))
  }

  /// Takes up a piece and gives the number of lines that it completes.
  ///
  /// `body` is called with the first `room` of them and with the last ``LastLines/count``; those between are counted only.
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
      begun = []
      for _ in 0..<others - LastLines.count { _ = Self.takeLine(from: &rest) }
    }
    while let line = Self.takeLine(from: &rest) { complete(line) { body($0, false) } }
    if !rest.isEmpty { begin(rest) }
    return count + others
  }

  /// Calls `body` with the last line where it has no end.
  package mutating func finish(_ body: (UnsafeRawBufferPointer) -> Void) {
    if !begun.isEmpty { complete(UnsafeRawBufferPointer(start: nil, count: 0), body) }
  }

  private mutating func complete(_ end: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
    if begun.isEmpty {
      let line = Self.shown(end)
      return body(UnsafeRawBufferPointer(rebasing: line.prefix(longest)))
    }
    begin(end)
    unfinished.withUnsafeBytes(body)
    begun.removeAll(keepingCapacity: begun.capacity < 4096)
  }

  /// Adds to the line whose end has not come; what a carriage return has taken back goes.
  private mutating func begin(_ piece: UnsafeRawBufferPointer) {
    let shown = Self.shown(piece)
    if shown.count < piece.count - Self.returnsAtEnd(of: piece[...])
      || begun.last == Self.carriageReturn && !shown.isEmpty
    {
      begun.removeAll(keepingCapacity: true)
    }
    begun.append(contentsOf: shown.prefix(max(0, longest - begun.count)))
    if piece.last == Self.carriageReturn, begun.last != Self.carriageReturn { begun.append(Self.carriageReturn) }
  }

  /// What is behind the last return to the beginning of the line; those at its end take nothing back.
  private static func shown(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let line = UnsafeRawBufferPointer(rebasing: line.dropLast(returnsAtEnd(of: line[...])))
    guard let found = line.lastIndex(of: carriageReturn) else { return line }
    return UnsafeRawBufferPointer(rebasing: line[(found + 1)...])
  }

  private static func returnsAtEnd(of line: some BidirectionalCollection<UInt8>) -> Int {
    line.reversed().prefix { $0 == carriageReturn }.count
  }

  /// The next line that has its end, without it; nil where none has.
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
