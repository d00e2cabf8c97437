import CLibPQ
import Foundation
import SyncEngine

/// What PostgreSQL takes by itself for what a sync server asks of it: a row is written, a listener hears of it.
enum PostgresProbe {
  /// The times from before the write until the listener has the notification, in milliseconds.
  static func writeAndNotify(_ information: String, count: Int) throws -> [Double] {
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
    var found: [Double] = []
    for _ in 0..<count {
      let began = ContinuousClock.now
      PQclear(PQexec(writer, "UPDATE sync_probe SET n = n + 1 WHERE id = 1"))
      PQclear(PQexec(writer, "NOTIFY sync_probe"))
      var notification: UnsafeMutablePointer<PGnotify>?
      while notification == nil {
        var request = pollfd(fd: PQsocket(listener), events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, 1000) > 0, PQconsumeInput(listener) == 1 else {
          throw BackendError.unreachable("no notification within a second")
        }
        notification = PQnotifies(listener)
      }
      PQfreemem(notification)
      found.append(SyncBenchmarks.milliseconds(began.duration(to: .now)))
    }
    return found
  }
}
