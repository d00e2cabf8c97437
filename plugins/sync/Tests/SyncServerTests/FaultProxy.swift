#if Network
  import FlowBytes
  import Foundation
  import SyncCore
  import SyncEngine
  import Synchronization

  /// A proxy between one device and the sync server. It drops, delays, duplicates, mixes up and truncates messages,
  /// counts the device's requests, and records the requests that reach the server with their responses.
  final class FaultProxy: Sendable {
    /// A fault that the proxy can cause for a request.
    enum Fault: CaseIterable {
      case none, lostRequest, lostAnswer, late, doubledRequest, doubledAnswer, staleAnswer, cutAnswer, overloaded,
        rubbish
      /// A refusal of a commit by the proxy. It is not among the random faults.
      case refusal

      static let allCases: [Fault] = [
        .none, .lostRequest, .lostAnswer, .late, .doubledRequest, .doubledAnswer, .staleAnswer, .cutAnswer, .overloaded,
        .rubbish,
      ]
    }

    /// A request that reached the server, with its response. The response may not have reached the device.
    struct Exchange: Sendable {
      var target: String
      var body: [UInt8]
      var answer: [UInt8]
    }

    let port: Int
    private let server: Int
    private let listener: Int32
    private let record: @Sendable (Exchange) -> Void
    /// The faults to choose from for every request. If nil, about half of the requests have a random fault.
    private let faults: [Fault]?
    /// The response of the proxy itself to a refused commit, which may be empty. The proxy then closes the connection.
    private let refusal: String
    private let state: Mutex<State>

    private struct State {
      var random: SplitMix64
      var isFaulty = true
      var requests = 0
      /// Greater than 0 while requests are repeated because the server did not respond or did not accept them.
      var unanswered = 0
    }

    init(
      server: Int, seed: UInt64, faults: [Fault]? = nil, refusal: String = FaultProxy.refusal,
      record: @escaping @Sendable (Exchange) -> Void = { _ in }
    ) throws {
      self.server = server
      self.faults = faults
      self.refusal = refusal
      self.record = record
      state = Mutex(State(random: SplitMix64(seed: seed)))
      (listener, port) = try LocalSocket.listen()
      let proxy = self
      Thread.detachNewThread { proxy.accept() }
    }

    /// The number of requests from the device.
    var requests: Int { state.withLock { $0.requests } }

    /// True if no request is being repeated.
    var isAtRest: Bool { state.withLock { $0.unanswered == 0 } }

    /// Stops causing faults.
    func heal() { state.withLock { $0.isFaulty = false } }

    /// Stops accepting connections.
    func stop() { LocalSocket.shutDown(listener) }

    private func accept() {
      while let client = LocalSocket.accept(listener) {
        Thread.detachNewThread {
          self.serve(LocalSocket(client))
        }
      }
      LocalSocket.close(listener)
    }

    private func draw() -> (fault: Fault, pauseMilliseconds: Int) {
      state.withLock { state in
        state.requests += 1
        guard state.isFaulty, faults != nil || Int.random(in: 0..<2, using: &state.random) == 0 else {
          return (.none, 0)
        }
        let fault = (faults ?? Fault.allCases).randomElement(using: &state.random) ?? .none
        return (fault, Int.random(in: 0...300, using: &state.random))
      }
    }

    private func serve(_ client: LocalSocket) {
      var last: [UInt8]?
      while let request = client.message() {
        let (fault, pause) = draw()
        if fault == .lostRequest { return }
        if fault == .late { Thread.sleep(forTimeInterval: Double(pause) / 1000) }
        if fault == .overloaded || fault == .rubbish {
          client.send(Array((fault == .rubbish ? Self.rubbish : Self.overloaded).utf8))
          continue
        }
        if fault == .refusal, request.target.hasSuffix("/commit") {
          client.send(Array(refusal.utf8))
          // A response without a length, or shorter than the stated length, ends with its connection.
          return
        }
        if request.target.contains("/pokes") {
          pass(request, to: client, isCut: fault == .cutAnswer, afterMilliseconds: pause)
          return
        }
        if fault == .doubledRequest { _ = ask(request) }
        guard let answer = ask(request) else {
          client.end()
          askAgain(request)
          return
        }
        // If the database was killed, the server responds with an error, because it cannot determine what was saved.
        if request.target.hasSuffix("/commit"), !Self.isTaken(answer) { askAgainAside(request) }
        switch fault {
        case .lostAnswer: return
        case .cutAnswer:
          client.send(Array(answer.prefix(answer.count / 2)))
          return
        case .doubledAnswer: client.send(answer + answer)
        case .staleAnswer: client.send((last ?? []) + answer)
        default: client.send(answer)
        }
        last = answer
      }
    }

    private static let overloaded =
      "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n"
    static let refusal = "HTTP/1.1 400 Bad Request\r\nContent-Length: 4\r\n\r\noops"
    private static let rubbish = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{\"a\":1}"

    private func ask(_ request: LocalSocket.Message) -> [UInt8]? {
      guard let upstream = LocalSocket(port: server) else { return nil }
      upstream.send(request.bytes)
      guard let answer = upstream.message() else { return nil }
      record(Exchange(target: request.target, body: request.body, answer: answer.body))
      return answer.bytes
    }

    /// Repeats a request until the server accepts it, at most 400 times, as a network might. A server that was killed
    /// may have saved changes without a response, and the device may detect this by reading alone. The repetition adds
    /// the result to the recorded exchanges.
    private func askAgain(_ request: LocalSocket.Message) {
      state.withLock { $0.unanswered += 1 }
      defer { state.withLock { $0.unanswered -= 1 } }
      var attempts = 0
      while attempts < 400, !(ask(request).map(Self.isTaken) ?? false) {
        Thread.sleep(forTimeInterval: 0.05)
        attempts += 1
      }
    }

    private static func isTaken(_ answer: [UInt8]) -> Bool { answer.starts(with: "HTTP/1.1 200".utf8) }

    /// Repeats a request on another thread, while the device continues.
    private func askAgainAside(_ request: LocalSocket.Message) {
      state.withLock { $0.unanswered += 1 }
      Thread.detachNewThread {
        self.askAgain(request)
        self.state.withLock { $0.unanswered -= 1 }
      }
    }

    /// Forwards the server's bytes on a channel until either side closes it or, if `isCut`, for up to 3 s.
    private func pass(_ request: LocalSocket.Message, to client: LocalSocket, isCut: Bool, afterMilliseconds: Int) {
      guard let upstream = LocalSocket(port: server) else { return }
      upstream.send(request.bytes)
      let end = Date().addingTimeInterval(isCut ? Double(afterMilliseconds) / 100 : 3600)
      while Date() < end, let piece = upstream.some(waitMilliseconds: 50) {
        if !piece.isEmpty, !client.send(piece) { return }
        if client.isClosed { return }
      }
    }
  }

  /// A TCP connection on the loopback interface, used by one thread.
  final class LocalSocket {
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    /// A complete HTTP/1.1 request or response.
    struct Message {
      var bytes: [UInt8]
      var body: [UInt8]
      /// The second word of the first line: the target of a request, or the status of a response.
      var target: String
    }

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Connects to a port of this machine. Returns nil if no program is listening on it.
    init?(port: Int) {
      descriptor = socket(AF_INET, Self.stream, 0)
      var address = Self.address(port)
      let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      if result != 0 { return nil }
    }

    deinit { Self.close(descriptor) }

    static func listen(port: Int = 0) throws -> (descriptor: Int32, port: Int) {
      struct Failed: Error {}
      let descriptor = socket(AF_INET, Self.stream, 0)
      var address = Self.address(port)
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let result = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, length) == 0 && Glibc.listen(descriptor, 64) == 0
            && getsockname(descriptor, $0, &length) == 0
        }
      }
      guard result else {
        close(descriptor)
        throw Failed()
      }
      return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    static func accept(_ listener: Int32) -> Int32? {
      let client = Glibc.accept(listener, nil, nil)
      return client >= 0 ? client : nil
    }

    static func shutDown(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
    static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

    private static let stream = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)

    private static func address(_ port: Int) -> sockaddr_in {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(port).bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      return address
    }

    func end() { Self.shutDown(descriptor) }

    @discardableResult func send(_ bytes: [UInt8]) -> Bool {
      var sent = 0
      while sent < bytes.count {
        let count = bytes.withUnsafeBytes {
          Glibc.send(descriptor, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
        }
        if count <= 0 { return false }
        sent += count
      }
      return true
    }

    /// Returns the received bytes, an empty array after the timeout, or nil at the end.
    func some(waitMilliseconds: Int32) -> [UInt8]? {
      var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&state, 1, waitMilliseconds) == 0 { return [] }
      return read()
    }

    /// True if the other side has closed the connection.
    var isClosed: Bool {
      var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&state, 1, 0) > 0 else { return false }
      var byte: UInt8 = 0
      return recv(descriptor, &byte, 1, Int32(MSG_PEEK)) <= 0
    }

    private func read() -> [UInt8]? {
      var piece = [UInt8](repeating: 0, count: 65_536)
      let count = recv(descriptor, &piece, piece.count, 0)
      return count > 0 ? Array(piece.prefix(count)) : nil
    }

    /// Reads the next message, whose length is in its header. Returns nil at the end.
    func message() -> Message? {
      while true {
        if let message = complete() { return message }
        guard let more = read() else { return nil }
        buffer += more
      }
    }

    private func complete() -> Message? {
      guard let end = buffer.indices.first(where: { buffer[$0...].starts(with: Array("\r\n\r\n".utf8)) }) else {
        return nil
      }
      let head = String(decoding: buffer[..<end], as: UTF8.self)
      let lines = head.components(separatedBy: "\r\n")
      let length = lines.first { $0.lowercased().hasPrefix("content-length:") }
        .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
      let size = end + 4 + (length ?? 0)
      guard buffer.count >= size else { return nil }
      let words = lines[0].split(separator: " ")
      let message = Message(
        bytes: Array(buffer[..<size]), body: Array(buffer[(end + 4)..<size]),
        target: words.count > 1 ? String(words[1]) : "")
      buffer.removeFirst(size)
      return message
    }
  }
#endif
