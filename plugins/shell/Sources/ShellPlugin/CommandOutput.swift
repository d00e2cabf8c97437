import FlowModel
import FlowPluginKit
import FlowSystem

/// One of a command's two output streams, with the part of its data that is kept.
///
/// If the output exceeds the limit, only its beginning and its end are kept, half the limit each. The command
/// continues.
struct CommandOutput: ~Copyable {
  private let limitBytes: Int
  /// The number of bytes to keep from the beginning.
  private let halfBytes: Int

  private var pipe: Descriptor?
  private var first: [UInt8] = []
  /// The latest bytes. To avoid moving them for each piece, up to twice the required number are kept.
  private var last: [UInt8] = []
  private var totalBytes = 0

  private static let chunkBytes = 64 << 10
  private static let pieceLimit = 16

  /// Creates an output without a pipe, for a stream that is merged with the other one.
  init(limitBytes: Int) {
    pipe = nil
    self.limitBytes = limitBytes
    halfBytes = limitBytes / 2
  }

  init(_ pipe: consuming Descriptor, limitBytes: Int) {
    if pipe.number >= 0 { self.pipe = consume pipe } else { self.pipe = nil }
    self.limitBytes = limitBytes
    halfBytes = limitBytes / 2
  }

  /// True if the stream has not ended, so that more data may arrive.
  var isOpen: Bool { number >= 0 }

  /// Passes the pipe to the caller. Returns a descriptor with an invalid number if the stream has ended.
  mutating func takePipe() -> Descriptor { pipe.take() ?? Descriptor(-1) }

  /// Closes the pipe after its end. There must be no unread data.
  mutating func end() { pipe = nil }

  /// The pipe's descriptor for `poll`. −1 if the stream has ended; `poll` ignores that number.
  var number: CInt {
    switch pipe {
    case .none: -1
    case .some(let pipe): pipe.number
    }
  }

  /// Reads one piece, which must be available, or, if `everything`, all available pieces up to a limit, without
  /// waiting.
  mutating func read(everything: Bool, as stream: LogStream, into lines: inout OutputLines) {
    if everything { pipe?.setNonBlocking() }
    // The number of pieces is limited, because a process that outlives the command may still write to the pipe.
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

  /// The kept data as text. If bytes were omitted, a line between the beginning and the end reports their number.
  var text: String {
    if totalBytes <= limitBytes { return String(decoding: first + last, as: UTF8.self) }
    // Both cuts must be at the boundary of a character.
    var head = first[...]
    if let start = head.lastIndex(where: { $0 & 0xC0 != 0x80 }), head.count - start < Self.characterBytes(head[start]) {
      head = head[..<start]
    }
    let tail = last.suffix(limitBytes - halfBytes).drop { $0 & 0xC0 == 0x80 }
    let missing = totalBytes - head.count - tail.count
    return String(decoding: head, as: UTF8.self) + (head.last == UInt8(ascii: "\n") ? "" : "\n")
      + LeftOut.line(bytes: missing) + String(decoding: tail, as: UTF8.self)
  }

  /// Returns the number of bytes in a character that begins with `first`.
  private static func characterBytes(_ first: UInt8) -> Int {
    switch first {
    case 0xC0..<0xE0: 2
    case 0xE0..<0xF0: 3
    case 0xF0...: 4
    default: 1
    }
  }
}
