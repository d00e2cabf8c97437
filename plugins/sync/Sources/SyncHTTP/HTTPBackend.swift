import Foundation
import FlowSystem
import SyncCore
import SyncEngine
import SyncWire
import Synchronization

/// A zone behind a sync server: a small HTTP client of its own, so that nothing else needs to be linked.
///
/// Requests go over two connections that are kept open, each on a thread of its own; a channel has its own.
public final class HTTPBackend: SyncBackend {
  private let address: ServerAddress
  private let token: String
  private let lines: [Line]
  /// Who watches, so that the server knows to whom a poke need not be repeated.
  private let watcher = Mutex<DeviceID?>(nil)
  /// How long a request may take.
  static let timeout = Duration.seconds(10)
  /// How long a channel may be silent.
  static let silence = Duration.seconds(75)

  /// For `http://HOST:PORT` with the zone's token. Throws `BackendError.invalid` for anything else.
  public init(address: String, token: String) throws(BackendError) {
    self.address = try ServerAddress(address)
    guard token.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
      throw .invalid("the token holds characters that no token has")
    }
    self.token = token
    lines = (0..<2).map { Line(worker: BlockingWorker(name: "sync-http-\($0)")) }
  }

  /// Ends the connections.
  public func close() { for line in lines { line.worker.stop() } }

  /// Makes changes; see `SyncBackend`.
  public func commit(_ operations: [SyncCore.Operation], zone: String) async throws(BackendError) -> CommitReply {
    let body = Wire.body(of: operations)
    guard body.count <= SyncLimits.bodyBytes else { throw .tooLarge }
    let answer = try await exchange("POST", "/zones/\(Self.escaped(zone))/commit", body: body)
    return try Self.read { () throws(Wire.Problem) in try Wire.commitReply(answer) }
  }

  /// Gives what changed; see `SyncBackend`.
  public func changes(
    zone: String, since cursor: SyncCore.Cursor?, limit: Int, maximumBytes: Int
  ) async throws(BackendError) -> ChangePage {
    var target = "/zones/\(Self.escaped(zone))/changes?limit=\(limit)&bytes=\(maximumBytes)"
    if let cursor { target += "&since=\(cursor)" }
    if let device = watcher.withLock({ $0 }) { target += "&device=\(device)" }
    let answer = try await exchange("GET", target)
    return try Self.read { () throws(Wire.Problem) in try Wire.page(answer) }
  }

  /// The clock in milliseconds since 1970.
  public func serverTime() async throws(BackendError) -> Int64 {
    let answer = try await exchange("GET", "/time")
    return try Self.read { () throws(Wire.Problem) in try Wire.serverTime(answer) }
  }

  /// Pokes while the stream is read; see `SyncBackend`.
  public func watch(zone: String, device: DeviceID) -> AsyncThrowingStream<ChannelSign, any Error> {
    watcher.withLock { $0 = device }
    let (stream, continuation) = AsyncThrowingStream.makeStream(
      of: ChannelSign.self, bufferingPolicy: .bufferingNewest(16))
    let (address, headers) = (address, headers + [("Accept", "text/event-stream")])
    let target = "\(address.path)/zones/\(Self.escaped(zone))/pokes?device=\(device.name)"
    let shared = SharedEnding()
    continuation.onTermination = { _ in shared.end() }
    Thread.detachNewThread {
      do throws(BackendError) {
        let socket = try HTTPSocket(host: address.host, port: address.port, deadline: .now + Self.timeout)
        guard shared.begin(socket.number) else { return }
        defer { shared.forget() }
        let exchange = HTTPExchange(socket: socket)
        try exchange.send("GET", target, host: address.authority, headers: headers, deadline: .now + Self.timeout)
        guard let head = try exchange.head(deadline: .now + Self.timeout) else {
          throw BackendError.unreachable("the server closed the channel")
        }
        guard head.status == 200 else {
          throw Wire.error(
            try exchange.body(head, deadline: .now + Self.timeout), status: head.status,
            retryAfter: head.headers["retry-after"])
        }
        var reader = EventStreamReader()
        while let chunk = try exchange.chunk(deadline: .now + Self.silence) {
          for sign in reader.take(chunk) { continuation.yield(sign) }
        }
        continuation.finish(throwing: BackendError.unreachable("the server closed the channel"))
      } catch {
        continuation.finish(throwing: error)
      }
    }
    return stream
  }

  // MARK: Requests

  private var headers: [(String, String)] { [("Authorization", "Bearer \(token)")] }

  private func exchange(_ method: String, _ target: String, body: [UInt8] = []) async throws(BackendError) -> [UInt8] {
    let line = lines[0].worker.load <= lines[1].worker.load ? lines[0] : lines[1]
    let (address, headers) = (address, headers)
    do {
      return try await line.worker.perform {
        try line.exchange(method, address.path + target, address, headers, body)
      }
    } catch let error as BackendError {
      throw error
    } catch {
      throw .unreachable("the client has been closed")
    }
  }

  private static func read<Value>(_ body: () throws(Wire.Problem) -> Value) throws(BackendError) -> Value {
    do {
      return try body()
    } catch {
      if error.isOfTheFuture { throw .unsupportedFormat("\(error)") }
      throw .unreachable("the server's answer cannot be read: \(error)")
    }
  }

  private static func escaped(_ zone: String) -> String {
    zone.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? zone
  }
}

/// A connection that is kept open and the thread that uses it. `socket` is touched by jobs of `worker` alone, which run
/// one after the other on one thread: the proof for the promise.
private final class Line: @unchecked Sendable {
  let worker: BlockingWorker
  private var socket: HTTPSocket?

  init(worker: BlockingWorker) { self.worker = worker }

  func exchange(
    _ method: String, _ target: String, _ address: ServerAddress, _ headers: [(String, String)], _ body: [UInt8]
  ) throws(BackendError) -> [UInt8] {
    let deadline = ContinuousClock.now + HTTPBackend.timeout
    // A request goes out once: whoever counts them outside sees what the budget counts. A connection that the server has
    // closed meanwhile is found out before it is used.
    let kept = socket.flatMap { $0.isIdle ? $0 : nil }
    socket = nil
    let connection: HTTPSocket
    if let kept {
      connection = kept
    } else {
      connection = try HTTPSocket(host: address.host, port: address.port, deadline: deadline)
    }
    return try attempt(connection, method, target, address, headers, body, deadline)
  }

  private func attempt(
    _ socket: HTTPSocket, _ method: String, _ target: String, _ address: ServerAddress,
    _ headers: [(String, String)], _ body: [UInt8], _ deadline: ContinuousClock.Instant
  ) throws(BackendError) -> [UInt8] {
    let exchange = HTTPExchange(socket: socket)
    let name = String(UInt64.random(in: .min ... .max), radix: 16)
    try exchange.send(
      method, target, host: address.authority, headers: headers + [(Wire.requestHeader, name)], body: body,
      deadline: deadline)
    guard let head = try exchange.head(deadline: deadline) else {
      throw .unreachable("the server closed the connection")
    }
    let answer = try exchange.body(head, deadline: deadline)
    // On the way an answer can be doubled or held back: what belongs to another request is no answer to this one, and
    // nothing more is read from where it came.
    let answered = head.headers[Wire.requestHeader]
    if head.status == 200, answered != name {
      throw .unreachable("the answer belongs to \(answered == nil ? "no request" : "another request")")
    }
    if head.keepsAlive, answered == name { self.socket = socket }
    guard head.status == 200 else {
      throw Wire.error(answer, status: head.status, retryAfter: head.headers["retry-after"])
    }
    return answer
  }
}

/// Whether a channel has been ended, and the connection to end with it.
private final class SharedEnding: Sendable {
  private let state = Mutex<(isEnded: Bool, socket: Int32?)>((false, nil))

  func begin(_ socket: Int32) -> Bool {
    state.withLock { state in
      if !state.isEnded { state.socket = socket }
      return !state.isEnded
    }
  }

  func forget() { state.withLock { $0.socket = nil } }

  func end() {
    state.withLock { state in
      state.isEnded = true
      if let socket = state.socket { HTTPSocket.shutDown(socket) }
    }
  }
}
