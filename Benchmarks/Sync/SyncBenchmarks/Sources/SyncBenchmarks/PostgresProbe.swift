import CPostgreSQL
import Foundation

/// What PostgreSQL takes by itself for what a sync server asks of it: a row is written, a listener hears of it.
final class PostgresProbe {
  private let writer: OpaquePointer?
  private let listener: OpaquePointer?
  private(set) var latencies = Latencies()

  init(_ information: String) {
    (writer, listener) = (PQconnectdb(information), PQconnectdb(information))
    for sql in [
      "CREATE TABLE IF NOT EXISTS sync_probe (id int PRIMARY KEY, n int)",
      "INSERT INTO sync_probe VALUES (1, 0) ON CONFLICT DO NOTHING",
    ] { PQclear(PQexec(writer, sql)) }
    PQclear(PQexec(listener, "LISTEN sync_probe"))
  }

  deinit {
    PQfinish(writer)
    PQfinish(listener)
  }

  /// Takes the time from before the write until the listener has the notification.
  func writeAndNotify() throws {
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
}
