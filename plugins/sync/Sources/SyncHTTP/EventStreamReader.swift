#if Network
  import SyncCore
  import SyncEngine
  import SyncWire

  /// Parses a stream of server-sent events (HTML standard, section 9.2) that contains notifications, changes and
  /// heartbeats.
  struct EventStreamReader {
    private var line: [UInt8] = []
    private var event = ""
    /// The maximum length of a line in bytes. The server sends shorter lines.
    private static let maximumLineBytes = 2 * Wire.eventBytes

    /// Calls `found` with each message that this chunk completes, as soon as it is parsed.
    mutating func take(_ bytes: [UInt8], _ found: (ChannelSign) -> Void) {
      for byte in bytes {
        guard byte == UInt8(ascii: "\n") else {
          if line.count < Self.maximumLineBytes { line.append(byte) }
          continue
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        let text = String(decoding: line, as: UTF8.self)
        line.removeAll(keepingCapacity: true)
        if text.hasPrefix(":") {
          found(.alive)
        } else if text.hasPrefix("event:") {
          event = String(text.dropFirst(6).drop { $0 == " " })
        } else if text.hasPrefix("data:") {
          if let sign = sign(text.dropFirst(5).drop { $0 == " " }) { found(sign) }
        } else if text.isEmpty {
          event = ""
        }
      }
    }

    /// Returns the message in the data of an event, or nil if the data cannot be parsed. Changes can be skipped,
    /// because a notification follows them.
    private func sign(_ data: Substring) -> ChannelSign? {
      if event == "changes" { return try? Wire.changes(data) }
      return Cursor(data).map { event == "recovered" ? .recovered($0) : .notification($0) }
    }
  }
#endif
