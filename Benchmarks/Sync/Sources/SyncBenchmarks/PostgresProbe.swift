import CLibPQ
import Foundation

/// What PostgreSQL takes by itself for what a sync server asks of it: a row is written, a listener hears of it.
enum PostgresProbe {
  /// The times from before the write until the listener has the notification; at rest between them as the devices are.
  static func writeAndNotify(_ information: String, count: Int) async throws -> Latencies {
    let (writer, listener) = (PQconnectdb(information), PQconnectdb(information))
    defer {
      PQfinish(writer)
      PQfinish(listener)
    }
    for sql in [
      "CREATE TABLE IF NOT EXISTS sync_probe (id int PRIMARY KEY, n int)",
      "INSERT INTO sync_probe VALUES (1, 0) ON CONFLICT DO NOTHING",
    ] { PQclear(PQexec(writer, sql)) }
    PQclear(PQexec(listener, "LISTEN sync_probe"))
    var latencies = Latencies()
    for number in 1...count {
      try await Task.sleep(for: .milliseconds(160 + number * 7 % 40))
      let began = Instant.now
      PQclear(PQexec(writer, "UPDATE sync_probe SET n = n + 1 WHERE id = 1"))
      PQclear(PQexec(writer, "NOTIFY sync_probe"))
      var notification: UnsafeMutablePointer<PGnotify>?
      while notification == nil {
        var request = pollfd(fd: PQsocket(listener), events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, 1000) > 0, PQconsumeInput(listener) == 1 else {
          throw Failure("no notification within a second")
        }
        notification = PQnotifies(listener)
      }
      PQfreemem(notification)
      latencies.record(nanoseconds: Instant.now - began)
    }
    return latencies
  }
}
