#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The received messages in order. They are also read while an action works.
final class Messages {
  private var begun: [UInt8] = []
  private var waiting: [JSON] = []
  private var cancelled: Set<Int> = []
  private var isOpen = true

  /// Returns the next message that is not a cancellation, or nil at the end.
  func next() -> JSON? {
    while waiting.isEmpty, isOpen { read() }
    return waiting.isEmpty ? nil : waiting.removeFirst()
  }

  /// Waits up to this long for messages, and reads those that have arrived.
  func look(milliseconds: Int32 = 0) {
    var interest = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    if isOpen, poll(&interest, 1, milliseconds) > 0 { read() }
  }

  /// True if a call should be ended early, because its answer is no longer wanted.
  func isCancelled(_ id: Int) -> Bool {
    look()
    return isCancelledSoFar(id) || !isOpen
  }

  /// Like ``isCancelled(_:)``, but without reading further messages.
  func isCancelledSoFar(_ id: Int) -> Bool { cancelled.contains(id) }

  /// Removes the cancellation of a call that has been answered.
  func forget(_ id: Int) { if !cancelled.isEmpty { cancelled.remove(id) } }

  private func read() {
    let count = withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer in
      let count = readInput(buffer)
      if count > 0 { take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
      return count
    }
    if count == 0 || count < 0 && errno != EINTR { isOpen = false }
  }

  private func take(_ piece: UnsafeRawBufferPointer) {
    var rest = piece[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let line = begun + rest[..<end]
      begun.removeAll(keepingCapacity: true)
      rest = rest[(end + 1)...]
      guard let message = try? ValueReader.read(String(decoding: line, as: UTF8.self)) else { continue }
      if message["method"]?.text == "cancel" {
        if let id = message["params"]?["id"]?.integer { cancelled.insert(id) }
      } else {
        waiting.append(message)
      }
    }
    begun += rest
  }
}

private func readInput(_ buffer: UnsafeMutableRawBufferPointer) -> Int { read(0, buffer.baseAddress, buffer.count) }

func answer(_ id: JSON, _ result: JSON) { send([("id", id), ("result", result)]) }

func fail(_ id: JSON, _ error: PluginError) {
  var members: [(key: String, value: JSON)] = [("code", .string(error.code)), ("message", .string(error.message))]
  if let isRetryable = error.isRetryable { members.append(("data", .object([("retryable", .boolean(isRetryable))]))) }
  send([("id", id), ("error", .object(members))])
}

func send(_ members: [(key: String, value: JSON)]) {
  var line: [UInt8] = []
  JSON.object([("jsonrpc", .string("2.0"))] + members).write(to: &line)
  line.append(UInt8(ascii: "\n"))
  var sent = 0
  while sent < line.count {
    let count = line.withUnsafeBytes { write(1, $0.baseAddress! + sent, $0.count - sent) }
    if count > 0 { sent += count } else if errno != EINTR { exit(1) }
  }
}
