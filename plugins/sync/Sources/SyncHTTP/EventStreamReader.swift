#if Network
  import SyncCore
  import SyncEngine

  /// Reads server-sent events piece by piece (HTML standard, section 9.2): pokes and signs of life.
  struct EventStreamReader {
    private var line: [UInt8] = []
    private var isRecovery = false
    private static let maximumLineBytes = 8192

    /// The signs that are complete with this piece.
    mutating func take(_ bytes: [UInt8]) -> [ChannelSign] {
      var signs: [ChannelSign] = []
      for byte in bytes {
        guard byte == UInt8(ascii: "\n") else {
          if line.count < Self.maximumLineBytes { line.append(byte) }
          continue
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        let text = String(decoding: line, as: UTF8.self)
        line.removeAll(keepingCapacity: true)
        if text.hasPrefix(":") {
          signs.append(.alive)
        } else if text.hasPrefix("event:") {
          isRecovery = text.dropFirst(6).drop { $0 == " " } == "recovered"
        } else if text.hasPrefix("data:"), let cursor = Cursor(text.dropFirst(5).drop { $0 == " " }) {
          signs.append(isRecovery ? .recovered(cursor) : .poke(cursor))
        } else if text.isEmpty {
          isRecovery = false
        }
      }
      return signs
    }
  }
#endif
