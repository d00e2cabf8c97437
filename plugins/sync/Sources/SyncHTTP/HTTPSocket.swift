import SyncEngine

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A TCP connection on which every wait has a deadline. Used by one thread at a time; only `shutDown` may come from
/// another, and touches nothing but the descriptor's number.
final class HTTPSocket {
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var position = 0

  /// Connects, trying each address of the host.
  init(host: String, port: Int, deadline: ContinuousClock.Instant) throws(BackendError) {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Self.stream
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, String(port), &hints, &list)
    guard code == 0, let first = list else {
      throw .unreachable("'\(host)' is no known host: \(String(cString: gai_strerror(code)))")
    }
    defer { freeaddrinfo(list) }
    var reason = "no address"
    var next: UnsafeMutablePointer<addrinfo>? = first
    while let address = next {
      do {
        descriptor = try Self.connect(address.pointee, deadline)
        return
      } catch {
        reason = "\(error.reason)"
      }
      next = address.pointee.ai_next
    }
    throw .unreachable("\(host):\(port): \(reason)")
  }

  deinit { close(descriptor) }

  /// The number by which another thread may end what is under way.
  var number: Int32 { descriptor }

  /// Ends whatever waits on this connection.
  static func shutDown(_ number: Int32) { _ = shutdown(number, Int32(SHUT_RDWR)) }

  /// Whether nothing has come that nobody asked for, the other side's end above all: then it can be used again.
  var isIdle: Bool {
    if position < buffer.count { return false }
    var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&state, 1, 0) == 0
  }

  /// Sends everything.
  func send(_ bytes: [UInt8], deadline: ContinuousClock.Instant) throws(BackendError) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { raw in
        #if canImport(Darwin)
          Darwin.send(descriptor, raw.baseAddress! + sent, raw.count - sent, 0)
        #elseif canImport(Musl)
          Musl.send(descriptor, raw.baseAddress! + sent, raw.count - sent, Int32(MSG_NOSIGNAL))
        #else
          Glibc.send(descriptor, raw.baseAddress! + sent, raw.count - sent, Int32(MSG_NOSIGNAL))
        #endif
      }
      if count > 0 {
        sent += count
      } else if errno == EAGAIN {
        try wait(for: Int16(POLLOUT), deadline)
      } else if errno != EINTR {
        throw .unreachable(Self.lastError)
      }
    }
  }

  /// The next byte, nil at the end.
  func byte(deadline: ContinuousClock.Instant) throws(BackendError) -> UInt8? {
    if position == buffer.count { try fill(deadline) }
    guard position < buffer.count else { return nil }
    defer { position += 1 }
    return buffer[position]
  }

  /// Exactly so many bytes.
  func bytes(_ count: Int, deadline: ContinuousClock.Instant) throws(BackendError) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(count)
    while result.count < count {
      if position == buffer.count { try fill(deadline) }
      guard position < buffer.count else { throw .unreachable("the connection ended in the middle of an answer") }
      let taken = min(count - result.count, buffer.count - position)
      result.append(contentsOf: buffer[position..<position + taken])
      position += taken
    }
    return result
  }

  /// A line without its end, nil at the end of the connection.
  func line(limit: Int, deadline: ContinuousClock.Instant) throws(BackendError) -> String? {
    var line: [UInt8] = []
    while let next = try byte(deadline: deadline) {
      if next == UInt8(ascii: "\n") {
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return String(decoding: line, as: UTF8.self)
      }
      line.append(next)
      if line.count > limit { throw .unreachable("the answer has a line of more than \(limit) bytes") }
    }
    return nil
  }

  private func fill(_ deadline: ContinuousClock.Instant) throws(BackendError) {
    while true {
      var chunk = [UInt8](repeating: 0, count: 16_384)
      let count = recv(descriptor, &chunk, chunk.count, 0)
      if count >= 0 {
        buffer = Array(chunk.prefix(count))
        position = 0
        return
      }
      if errno == EAGAIN {
        try wait(for: Int16(POLLIN), deadline)
      } else if errno != EINTR {
        throw .unreachable(Self.lastError)
      }
    }
  }

  private func wait(for events: Int16, _ deadline: ContinuousClock.Instant) throws(BackendError) {
    guard try Self.ready(descriptor, events, deadline) else { throw .timedOut }
  }

  private struct ConnectFailure: Error {
    var reason: String
  }

  private static func connect(
    _ address: addrinfo, _ deadline: ContinuousClock.Instant
  ) throws(ConnectFailure) -> Int32 {
    let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
    guard descriptor >= 0 else { throw ConnectFailure(reason: lastError) }
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var one: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    #if canImport(Darwin)
      setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<Int32>.size))
      let outcome = Darwin.connect(descriptor, address.ai_addr, address.ai_addrlen)
    #elseif canImport(Musl)
      let outcome = Musl.connect(descriptor, address.ai_addr, address.ai_addrlen)
    #else
      let outcome = Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen)
    #endif
    if outcome == 0 { return descriptor }
    var reason = lastError
    if errno == EINPROGRESS, (try? ready(descriptor, Int16(POLLOUT), deadline)) == true {
      var code: Int32 = 0
      var length = socklen_t(MemoryLayout<Int32>.size)
      getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
      if code == 0 { return descriptor }
      reason = String(cString: strerror(code))
    }
    close(descriptor)
    throw ConnectFailure(reason: reason)
  }

  private static func ready(
    _ descriptor: Int32, _ events: Int16, _ deadline: ContinuousClock.Instant
  ) throws(BackendError) -> Bool {
    while true {
      let (seconds, attoseconds) = (deadline - .now).components
      let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
      guard milliseconds > 0 else { return false }
      var request = pollfd(fd: descriptor, events: events, revents: 0)
      let count = poll(&request, 1, Int32(min(milliseconds + 1, 60_000)))
      if count > 0 { return true }
      if count < 0, errno != EINTR { throw .unreachable(lastError) }
    }
  }

  private static var lastError: String { String(cString: strerror(errno)) }

  #if canImport(Glibc)
    private static let stream = Int32(SOCK_STREAM.rawValue)
  #else
    private static let stream = Int32(SOCK_STREAM)
  #endif
}
