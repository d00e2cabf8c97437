import Foundation
import SyncCore
import SyncEngine
import SyncHTTP
import SyncPomodoro
import SyncPostgres
import SyncServer
import SyncSQLite

/// The location of the zone that the devices share.
enum Place {
  case file(String)
  case server(String)

  func backend() throws -> any SyncBackend {
    switch self {
    case .file(let path): try SQLiteBackend(path: path, zones: [Pomodoro.zone])
    case .server(let address): try HTTPBackend(address: address, token: "")
    }
  }

  var arguments: [String] {
    switch self {
    case .file(let path): ["follow", "file", path]
    case .server(let address): ["follow", "server", address]
    }
  }
}

/// Measures the time from an action on one device until another device applies it. Each device has its own file and its
/// own process.
enum Devices {
  static let actions = 220

  /// Returns a session for a device with its own file and without a limit on requests.
  static func session(
    _ device: String, _ backend: any SyncBackend, zone: String = Pomodoro.zone,
    _ onChange: @escaping @Sendable (SyncMachine) -> Void = { _ in }
  ) async throws -> SyncSession {
    var limits = RequestBudget.Limits()
    limits.requestsPerHour = 1_000_000
    limits.bytesPerDay = 1 << 40
    let file = NSTemporaryDirectory() + "sync-benchmark-\(UUID().uuidString).sqlite"
    let session = try await SyncSession.open(
      device: device, zone: zone, backend: backend, store: try SQLiteReplicaStore(path: file), limits: limits
    ) { notice, machine in
      if case .changed(Pomodoro.timer, remote: true, rule: _) = notice { onChange(machine) }
    }
    try await session.declare(Pomodoro.schema)
    return session
  }

  /// Runs the process that receives. It prints a line with the time and the number of each applied action.
  static func follow(_ place: Place) async throws {
    let phone = try await session("phone", try place.backend()) { machine in
      let now = Instant.now
      let payload = machine.view(of: Pomodoro.timer).reading(by: Pomodoro.decide)?.winner.payload ?? []
      let number = TimerState(payload: payload)?.remainingMilliseconds ?? 0
      Child.say("\(now) \(number)")
    }
    await phone.start()
    _ = await phone.wait(milliseconds: 10_000) { $0.completedPulls > 0 && $0.status(atMilliseconds: 0).isChannelUp }
    Child.say("ready")
    await Child.parentEnds()
    await phone.stop()
  }

  /// Measures latencies. Calls `between` in the middle of each pause between actions.
  static func latencies(
    _ place: Place, between: () async throws -> Void
  ) async throws -> Latencies {
    let follower = try Child(place.arguments)
    defer { follower.end() }
    guard await follower.line() == "ready" else { throw Failure("the receiving device did not begin") }
    let mac = try await session("mac", try place.backend())
    await mac.start()
    _ = await mac.wait(milliseconds: 10_000) { $0.completedPulls > 0 }
    var latencies = Latencies()
    for number in 1...actions {
      // The pauses vary, so that actions are not synchronized with polling.
      try await Task.sleep(for: .milliseconds(80 + number * 7 % 40))
      try await between()
      try await Task.sleep(for: .milliseconds(80))
      let began = Instant.now
      try await mac.act(
        Pomodoro.timer,
        .edit(TimerState(kind: .focus, remainingMilliseconds: Int64(number)).edit()))
      var arrived: UInt64?
      while arrived == nil {
        guard let parts = await follower.line()?.split(separator: " "), parts.count == 2 else {
          throw Failure("the receiving device ended early")
        }
        if Int(parts[1]) == number { arrived = UInt64(parts[0]) }
      }
      latencies.record(nanoseconds: (arrived ?? began) - began)
    }
    await mac.stop()
    return latencies
  }

  /// Returns the peak memory use of a process.
  static func megabytes(of process: Int32) throws -> Double {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return (line?.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0) * 1024 / 1e6
  }

  /// The prefix that marks the store of a zone as an SQLite file. Without it, the text is libpq's connection
  /// information.
  static let filePrefix = "file:"

  /// Runs the server process. It prints its address and runs until its input is closed.
  static func serve(_ information: String, zone: String) async throws {
    var database: PostgresBackend?
    let backend: any SyncBackend
    if information.hasPrefix(filePrefix) {
      backend = try SQLiteBackend(path: String(information.dropFirst(filePrefix.count)), zones: [zone])
    } else {
      let opened = try await PostgresBackend(information, zones: [zone])
      (database, backend) = (opened, opened)
    }
    var settings = ServerSettings(tokens: [zone: nil])
    settings.port = 0
    settings.requestsPerSecond = 1_000_000
    Channels.allowDescriptors()
    let server = SyncServer(backend: backend, settings: settings)
    let running = Task {
      try await server.run(stopOnSignals: false) { port in
        Child.say("http://127.0.0.1:\(port)")
      }
    }
    await Child.parentEnds()
    running.cancel()
    _ = await running.result
    database?.close()
  }

  /// Calls `body` with the address of a server in a separate process.
  static func serving<Value>(
    _ information: String, zone: String = Pomodoro.zone, _ body: (String) async throws -> Value
  ) async throws -> Value {
    try await serving(information, zone: zone) { address, _ in try await body(address) }
  }

  /// Calls `body` with the address of a server in a separate process and with the id of that process.
  static func serving<Value>(
    _ information: String, zone: String, _ body: (String, Int32) async throws -> Value
  ) async throws -> Value {
    let server = try Child(["serve", information, zone])
    defer { server.end() }
    guard let address = await server.line() else { throw Failure("the server did not begin") }
    return try await body(address, server.number)
  }
}

/// A child process that runs this program and is read line by line.
final class Child {
  private let process = Process()
  private let input = Pipe()
  private var lines: AsyncStream<String>.Iterator

  init(_ arguments: [String]) throws {
    let output = Pipe()
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    lines = stream.makeAsyncIterator()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let reading = output.fileHandleForReading
    Thread.detachNewThread {
      var rest: [UInt8] = []
      while case let more = reading.availableData, !more.isEmpty {
        rest += more
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
          rest.removeSubrange(...end)
        }
      }
      continuation.finish()
    }
  }

  /// The id of the process.
  var number: Int32 { process.processIdentifier }

  /// Returns the next line of the child's output, or nil at its end.
  func line() async -> String? { await lines.next(isolation: #isolation) }

  func end() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// Called in the child: writes a line without buffering.
  static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

  /// Called in the child: waits until the parent closes the child's input or ends.
  static func parentEnds() async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        _ = try? FileHandle.standardInput.readToEnd()
        continuation.resume()
      }
    }
  }
}

/// The reason why a measurement failed.
struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
