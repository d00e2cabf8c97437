import Foundation
import SyncCore
import SyncPostgres
import SyncWire

/// Measures the memory that a server needs for many listening devices.
enum Channels {
  static let count = 1000

  /// Sets the limit on open files to the maximum that the system allows, but at most to 65,536.
  static func allowDescriptors() {
    var limit = rlimit()
    getrlimit(.init(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = min(limit.rlim_max, 65_536)
    setrlimit(.init(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// Connects 1,000 listening devices to a server, sends 20 changes, and reports the server's peak memory use.
  static func measure(_ information: String, _ figures: Figures) async throws {
    allowDescriptors()
    let zone = "Channels\(UInt32.random(in: 0 ... .max))"
    let backend = try await PostgresBackend(information, zones: [zone])
    defer { backend.close() }
    try await Notes.nameRules(backend, zone: zone)
    try await Devices.serving(information, zone: zone) { address, server in
      let port = address.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
      let sockets = try (0..<count).map { try listen(port: port, zone: zone, number: $0) }
      defer { for socket in sockets { close(socket) } }
      for socket in sockets { try read(socket, until: "event: poke") }
      let (began, changes) = (Instant.now, 20)
      for number in 1...changes {
        let dot = Dot(device: DeviceID(stem: "w", random: 1), number: Int64(number))
        let like = Notes.like(Notes.key(0), by: dot, expected: Int64(number - 1), milliseconds: 1)
        let reply = try await backend.commit([like], zone: zone)
        let cursor = reply.cursor
        for socket in sockets { try read(socket, until: "data: \(cursor)") }
      }
      let milliseconds = Double(Instant.now - began) / 1e6 / Double(changes)
      figures.add(
        "memory of a server with 1,000 devices that listen", try Devices.megabytes(of: server), "MB", atMost: 200,
        detail: "a change reaches all of them within \(Figures.short(milliseconds)) ms")
    }
  }

  private static func listen(port: UInt16, zone: String, number: Int) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) == 0 }
    }
    guard isConnected else { throw Failure("device \(number) cannot connect") }
    let device = DeviceID(stem: "d", random: UInt32(number)).name
    let head = RequestHead(kind: "pokes", zone: zone, query: ["device": device]) {
      $0 == Wire.versionHeader ? "\(Wire.version)" : nil
    }
    let request = """
      GET /zones/\(zone)/pokes?device=\(device) HTTP/1.1\r
      Host: localhost\r
      \(Wire.versionHeader): \(Wire.version)\r
      \(RequestHead.checkHeader): \(head.check(body: []))\r
      \r

      """
    guard send(descriptor, request, request.utf8.count, 0) == request.utf8.count else {
      throw Failure("device \(number) cannot ask")
    }
    return descriptor
  }

  /// Reads from a connection until the received data contains `text`. Throws an error if nothing arrives for 20 s.
  private static func read(_ descriptor: Int32, until text: String) throws {
    var (all, buffer) = ("", [UInt8](repeating: 0, count: 4096))
    while !all.contains(text) {
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&request, 1, 20_000) > 0 else { throw Failure("a device has not heard within 20 s") }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { throw Failure("the server has closed a channel") }
      all += String(decoding: buffer[..<count], as: UTF8.self)
    }
  }
}
