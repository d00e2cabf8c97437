import SyncEngine

/// One request and its answer on a connection (HTTP/1.1, RFC 9112).
struct HTTPExchange {
  /// The largest answer that is read, in bytes.
  static let maximumBodyBytes = 8 << 20
  private static let maximumLineBytes = 8192
  private static let maximumHeaders = 100

  struct Head {
    var status: Int
    var headers: [String: String]

    var keepsAlive: Bool { headers["connection"]?.lowercased() != "close" }
    var isChunked: Bool { headers["transfer-encoding"]?.lowercased().contains("chunked") == true }
  }

  let socket: HTTPSocket

  func send(
    _ method: String, _ target: String, host: String, headers: [(String, String)], body: [UInt8] = [],
    deadline: ContinuousClock.Instant
  ) throws(BackendError) {
    var text = "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    if method == "POST" { text += "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n" }
    try socket.send(Array((text + "\r\n").utf8) + body, deadline: deadline)
  }

  /// The status and the headers; nil when the other side had closed before it said anything.
  func head(deadline: ContinuousClock.Instant) throws(BackendError) -> Head? {
    guard let first = try line(deadline) else { return nil }
    let parts = first.split(separator: " ", maxSplits: 2)
    guard parts.count >= 2, parts[0].hasPrefix("HTTP/1."), let status = Int(parts[1]) else {
      throw .unreachable("the other side speaks no HTTP: '\(first.prefix(40))'")
    }
    var headers: [String: String] = [:]
    while let line = try line(deadline), !line.isEmpty {
      guard headers.count < Self.maximumHeaders, let colon = line.firstIndex(of: ":") else {
        throw .unreachable("the answer's headers are malformed")
      }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      headers[line[..<colon].lowercased()] = String(value)
    }
    return Head(status: status, headers: headers)
  }

  /// The whole body.
  func body(_ head: Head, deadline: ContinuousClock.Instant) throws(BackendError) -> [UInt8] {
    guard head.isChunked else {
      let length = head.headers["content-length"].flatMap { Int($0) } ?? 0
      guard (0...Self.maximumBodyBytes).contains(length) else { throw .unreachable("the answer is too large") }
      return try socket.bytes(length, deadline: deadline)
    }
    var body: [UInt8] = []
    while let chunk = try chunk(deadline: deadline) {
      body += chunk
      if body.count > Self.maximumBodyBytes { throw .unreachable("the answer is too large") }
    }
    return body
  }

  /// The next piece of a chunked body, nil at its end.
  func chunk(deadline: ContinuousClock.Instant) throws(BackendError) -> [UInt8]? {
    guard let header = try line(deadline),
      let size = Int(header.prefix { $0 != ";" && $0 != " " }, radix: 16), (0...Self.maximumBodyBytes).contains(size)
    else { throw .unreachable("the answer's pieces are malformed") }
    if size == 0 {
      while let trailer = try line(deadline), !trailer.isEmpty {}
      return nil
    }
    let bytes = try socket.bytes(size, deadline: deadline)
    guard try line(deadline) == "" else { throw .unreachable("the answer's pieces are malformed") }
    return bytes
  }

  private func line(_ deadline: ContinuousClock.Instant) throws(BackendError) -> String? {
    try socket.line(limit: Self.maximumLineBytes, deadline: deadline)
  }
}
