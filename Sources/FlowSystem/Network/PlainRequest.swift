/// An HTTP/1.1 request without TLS on a new connection, to a server that accepts a message and answers briefly. The
/// deadline applies to everything except looking up the host's name.
package struct PlainRequest: Sendable {
  /// The name or address of the server. An IPv6 address has no brackets.
  package var host: String
  /// The port, from 1 to 65,535.
  package var port: Int
  /// The path of the request, starting with a slash.
  package var path: String
  /// The headers other than `Host`, `Content-Length` and `Connection`, which are added.
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]
  package var method = "POST"
  /// True to wait for the whole body of the answer. If false, only the part received together with the status is
  /// returned.
  package var awaitsBody = true

  package struct Answer: Sendable {
    /// The status code, such as 200.
    package var status: Int
    /// The value of `Retry-After` in seconds. Nil if the header is missing or contains a date.
    package var retryAfterSeconds: Int?
    /// The beginning of the body, at most 64 KiB.
    package var body: [UInt8]

    package init(status: Int, retryAfterSeconds: Int?, body: [UInt8]) {
      self.status = status
      self.retryAfterSeconds = retryAfterSeconds
      self.body = body
    }
  }

  /// The error for a request without an answer.
  package struct RequestProblem: Error, Sendable, CustomStringConvertible {
    /// The reason, such as `Connection refused`.
    package let description: String

    package init(description: String) { self.description = description }

    static let late = RequestProblem(description: "no answer in time")
  }

  private static let answerBytes = 1 << 16

  package init(
    host: String, port: Int, path: String, headers: [(name: String, value: String)] = [], body: [UInt8]
  ) {
    self.host = host
    self.port = port
    self.path = path
    self.headers = headers
    self.body = body
  }

  /// Sends the request and returns the answer. Throws an error if the connection fails, or if no valid answer arrives
  /// by the deadline.
  package func send(by deadline: ContinuousClock.Instant) throws(RequestProblem) -> Answer {
    let connection = try connect(by: deadline)
    var head = "\(method) \(path) HTTP/1.1\r\nHost: \(host.contains(":") ? "[\(host)]" : host):\(port)\r\n"
    head += "Content-Length: \(body.count)\r\nConnection: close\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    let bytes = Array((head + "\r\n").utf8) + body
    var sent = 0
    while sent < bytes.count {
      try Self.wait(for: connection.number, POLLOUT, by: deadline)
      // The server may close the connection before it has read everything, but still answer.
      guard case .bytes(let count) = connection.send(bytes[sent...]) else { break }
      sent += count
    }
    var received: [UInt8] = []
    var hasEnded = false
    while !hasEnded, received.count < Self.answerBytes {
      if let answer = Self.answer(in: received, isEnded: !awaitsBody) { return answer }
      do throws(RequestProblem) {
        try Self.wait(for: connection.number, POLLIN, by: deadline)
      } catch {
        // The status is enough, even if the rest of the answer is missing.
        guard let answer = Self.answer(in: received, isEnded: true) else { throw error }
        return answer
      }
      withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
        switch connection.receive(into: buffer) {
        case .bytes(let count): received += buffer[..<count]
        case .nothing: break
        case .end: hasEnded = true
        }
      }
    }
    guard let answer = Self.answer(in: received, isEnded: true) else {
      throw RequestProblem(
        description: received.isEmpty ? "the connection was closed without an answer" : "it is not HTTP")
    }
    return answer
  }

  /// True if a host accepts a connection at a port before the deadline.
  package static func isAnswered(host: String, port: Int, by deadline: ContinuousClock.Instant) -> Bool {
    do throws(RequestProblem) {
      _ = try PlainRequest(host: host, port: port, path: "/", body: []).connect(by: deadline)
      return true
    } catch {
      return false
    }
  }

  private func connect(by deadline: ContinuousClock.Instant) throws(RequestProblem) -> Descriptor {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    #if canImport(Glibc)
      hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    #else
      hints.ai_socktype = SOCK_STREAM
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    let failure = getaddrinfo(host, String(port), &hints, &list)
    guard failure == 0 else { throw RequestProblem(description: String(cString: gai_strerror(failure))) }
    defer { freeaddrinfo(list) }
    var next = list
    var reason = ""
    while let address = next?.pointee {
      next = address.ai_next
      let connection = Descriptor(socket(address.ai_family, address.ai_socktype, address.ai_protocol))
      guard connection.number >= 0 else {
        reason = SystemError.reason(errno)
        continue
      }
      _ = fcntl(connection.number, F_SETFD, FD_CLOEXEC)
      connection.setNonBlocking()
      if begin(connection.number, address) == 0 { return connection }
      var code = errno
      if code == EINPROGRESS {
        try Self.wait(for: connection.number, POLLOUT, by: deadline)
        var length = socklen_t(MemoryLayout<CInt>.size)
        getsockopt(connection.number, SOL_SOCKET, SO_ERROR, &code, &length)
        if code == 0 { return connection }
      }
      reason = SystemError.reason(code)
    }
    throw RequestProblem(description: reason)
  }

  private static func wait(for file: CInt, _ event: CInt, by deadline: ContinuousClock.Instant) throws(RequestProblem) {
    while true {
      let left = ContinuousClock.now.duration(to: deadline).components
      let milliseconds = left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000
      guard milliseconds > 0 else { throw .late }
      var watched = pollfd(fd: file, events: Int16(event), revents: 0)
      if poll(&watched, 1, CInt(clamping: milliseconds)) > 0 { return }
    }
  }

  /// Parses the bytes received so far. Returns nil if the head of the answer is incomplete or invalid, or if the body
  /// is incomplete and `isEnded` is false.
  static func answer(in bytes: [UInt8], isEnded: Bool) -> Answer? {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else { return nil }
    func header(_ name: String) -> String? {
      let field = lines.dropFirst().first { $0.lowercased().hasPrefix(name + ":") }
      return field.map { $0.dropFirst(name.count + 1).drop { $0 == " " }.lowercased() }
    }
    var body = Array(bytes[end.upperBound...])
    if header("transfer-encoding") == "chunked" {
      let (whole, chunks) = Self.chunks(body)
      guard whole || isEnded else { return nil }
      body = chunks
    } else if let length = header("content-length").flatMap({ Int($0) }) {
      guard body.count >= length || isEnded else { return nil }
    } else if !isEnded {
      return nil
    }
    return Answer(status: status, retryAfterSeconds: header("retry-after").flatMap { Int($0) }, body: body)
  }

  /// Returns the content of a chunked body. `isWhole` is true if the last chunk was received.
  private static func chunks(_ bytes: [UInt8]) -> (isWhole: Bool, content: [UInt8]) {
    var (rest, content) = (bytes[...], [UInt8]())
    while let line = rest.firstRange(of: Array("\r\n".utf8)) {
      let digits = String(decoding: rest[..<line.lowerBound], as: UTF8.self).prefix { $0.isHexDigit }
      guard let count = Int(digits, radix: 16), count > 0 else { return (digits == "0", content) }
      content += rest[line.upperBound...].prefix(count)
      rest = rest[line.upperBound...].dropFirst(count + 2)
    }
    return (false, content)
  }
}

private func begin(_ file: CInt, _ address: addrinfo) -> CInt { connect(file, address.ai_addr, address.ai_addrlen) }
