import FlowModel
import FlowPluginKit
import FlowSystem

/// One output of a command: the pipe, and what is kept of what has come through it.
///
/// Of more bytes than the limit the first and the last half of it are kept; the command continues.
struct CommandOutput: ~Copyable {
  /// Bytes that are kept.
  private let limitBytes: Int
  /// Bytes that are kept of the beginning, and of the end.
  private let halfBytes: Int

  private var pipe: Descriptor?
  private var first: [UInt8] = []
  /// The end of what did not fit; its oldest bytes go when there are twice as many as are kept.
  private var last: [UInt8] = []
  private var totalBytes = 0

  private static let chunkBytes = 64 << 10
  private static let pieceLimit = 16

  /// An output without a pipe of its own, because another one has it.
  init(limitBytes: Int) {
    pipe = nil
    self.limitBytes = limitBytes
    halfBytes = limitBytes / 2
  }

  /// An output that is read from a pipe.
  init(_ pipe: consuming Descriptor, limitBytes: Int) {
    if pipe.number >= 0 { self.pipe = consume pipe } else { self.pipe = nil }
    self.limitBytes = limitBytes
    halfBytes = limitBytes / 2
  }

  /// Whether more may come.
  var isOpen: Bool { number >= 0 }

  /// Takes the pipe out, which is not read here any more; without a valid number at the end.
  mutating func takePipe() -> Descriptor { pipe.take() ?? Descriptor(-1) }

  /// The number of the pipe for `poll`; -1, which it ignores, at the end.
  var number: CInt {
    switch pipe {
    case .none: -1
    case .some(let pipe): pipe.number
    }
  }

  /// Takes what has come: one piece, or all that is in the pipe when its command has ended, without waiting.
  mutating func read(everything: Bool, as stream: LogStream, into lines: inout OutputLines) {
    if everything { pipe?.setNonBlocking() }
    // What is in a pipe is at most 1 MiB; who is left behind may continue writing into it.
    var pieces = everything ? Self.pieceLimit : 1
    while isOpen, pieces > 0 {
      pieces -= 1
      let isMore = withUnsafeTemporaryAllocation(byteCount: Self.chunkBytes, alignment: 1) { buffer in
        switch receive(into: buffer) {
        case .nothing: return false
        case .end:
          pipe = nil
          return false
        case .bytes(let count):
          let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
          keep(piece)
          lines.append(piece, from: stream)
          return true
        }
      }
      if !isMore { return }
    }
  }

  private func receive(into buffer: UnsafeMutableRawBufferPointer) -> Descriptor.Received {
    switch pipe {
    case .none: .end
    case .some(let pipe): pipe.receive(into: buffer)
    }
  }

  private mutating func keep(_ piece: UnsafeRawBufferPointer) {
    totalBytes += piece.count
    let room = min(piece.count, halfBytes - first.count)
    first.append(contentsOf: piece[..<room])
    last.append(contentsOf: piece[room...])
    if last.count > limitBytes { last.removeFirst(last.count - (limitBytes - halfBytes)) }
  }

  /// What is kept, as text: everything, or the first and the last bytes with a line between that says what is missing.
  var text: String {
    if totalBytes <= limitBytes { return String(decoding: first + last, as: UTF8.self) }
    // No character is cut in two.
    var head = first[...]
    if let start = head.lastIndex(where: { $0 & 0xC0 != 0x80 }), head.count - start < Self.characterBytes(head[start]) {
      head = head[..<start]
    }
    let tail = last.suffix(limitBytes - halfBytes).drop { $0 & 0xC0 == 0x80 }
    let missing = totalBytes - head.count - tail.count
    return String(decoding: head, as: UTF8.self) + (head.last == UInt8(ascii: "\n") ? "" : "\n")
      + LeftOut.line(bytes: missing) + String(decoding: tail, as: UTF8.self)
  }

  /// How many bytes a character has that begins with this one.
  private static func characterBytes(_ first: UInt8) -> Int {
    switch first {
    case 0xC0..<0xE0: 2
    case 0xE0..<0xF0: 3
    case 0xF0...: 4
    default: 1
    }
  }
}
