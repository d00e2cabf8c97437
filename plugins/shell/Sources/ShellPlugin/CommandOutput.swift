import FlowModel
import FlowPluginKit
import FlowSystem

/// One output of a command: the pipe, and the part of its data that is kept.
///
/// If there are more bytes than the limit, the first and the last half of the limit are kept; the command continues.
struct CommandOutput: ~Copyable {
  /// The number of bytes to keep.
  private let limitBytes: Int
  /// The number of bytes to keep from the beginning and from the end.
  private let halfBytes: Int

  private var pipe: Descriptor?
  private var first: [UInt8] = []
  /// The latest bytes; the oldest of them are dropped when there are twice as many as needed.
  private var last: [UInt8] = []
  private var totalBytes = 0

  private static let chunkBytes = 64 << 10
  private static let pieceLimit = 16

  /// Creates an output that shares the pipe of another one.
  init(limitBytes: Int) {
    pipe = nil
    self.limitBytes = limitBytes
    halfBytes = limitBytes / 2
  }

  /// Creates an output that is read from a pipe.
  init(_ pipe: consuming Descriptor, limitBytes: Int) {
    if pipe.number >= 0 { self.pipe = consume pipe } else { self.pipe = nil }
    self.limitBytes = limitBytes
    halfBytes = limitBytes / 2
  }

  /// True if more data may arrive.
  var isOpen: Bool { number >= 0 }

  /// Moves the pipe to the caller; at its end, returns a descriptor without a valid number.
  mutating func takePipe() -> Descriptor { pipe.take() ?? Descriptor(-1) }

  /// The number of the pipe for `poll`, or −1, which `poll` ignores, at its end.
  var number: CInt {
    switch pipe {
    case .none: -1
    case .some(let pipe): pipe.number
    }
  }

  /// Reads available data without waiting: one piece, or everything once the command has ended.
  mutating func read(everything: Bool, as stream: LogStream, into lines: inout OutputLines) {
    if everything { pipe?.setNonBlocking() }
    // A pipe buffers at most 1 MiB; a leftover process may keep writing to it.
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

  /// The kept data as text: everything, or the first and last bytes with a line between them about the omitted bytes.
  var text: String {
    if totalBytes <= limitBytes { return String(decoding: first + last, as: UTF8.self) }
    // Keeps characters whole.
    var head = first[...]
    if let start = head.lastIndex(where: { $0 & 0xC0 != 0x80 }), head.count - start < Self.characterBytes(head[start]) {
      head = head[..<start]
    }
    let tail = last.suffix(limitBytes - halfBytes).drop { $0 & 0xC0 == 0x80 }
    let missing = totalBytes - head.count - tail.count
    return String(decoding: head, as: UTF8.self) + (head.last == UInt8(ascii: "\n") ? "" : "\n")
      + LeftOut.line(bytes: missing) + String(decoding: tail, as: UTF8.self)
  }

  /// The number of bytes of a character that begins with this byte.
  private static func characterBytes(_ first: UInt8) -> Int {
    switch first {
    case 0xC0..<0xE0: 2
    case 0xE0..<0xF0: 3
    case 0xF0...: 4
    default: 1
    }
  }
}
