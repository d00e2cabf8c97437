import CPostgreSQL
import Foundation

/// Measures the time that PostgreSQL alone needs for the work of a sync server: writing a row and notifying a listener.
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

  /// Measures the time from the start of a write until the listener receives the notification.
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

  /// Returns the number of changes per second that reach the disk if `count` of them are sent in one transaction and
  /// one round trip. No server with this many writers can be faster.
  func swapsPerSecond(together count: Int, seconds: Double) throws -> Double {
    for sql in [
      "CREATE TABLE IF NOT EXISTS sync_probe_zone (name text PRIMARY KEY, seq int8)",
      """
      CREATE TABLE IF NOT EXISTS sync_probe_record (
        zone text, name text, version int8, seq int8, cell bytea, PRIMARY KEY (zone, name))
      """,
      "CREATE INDEX IF NOT EXISTS sync_probe_by_seq ON sync_probe_record (zone, seq)",
      "INSERT INTO sync_probe_zone SELECT 'zone' || n, 0 FROM generate_series(1, \(count)) n ON CONFLICT DO NOTHING",
      """
      INSERT INTO sync_probe_record SELECT 'zone' || n, 'record', 0, 0, '\\x00' FROM generate_series(1, \(count)) n
      ON CONFLICT DO NOTHING
      """,
    ] { PQclear(PQexec(writer, sql)) }
    let swap = """
      WITH place AS (UPDATE sync_probe_zone SET seq = seq + 1 WHERE name = $1 RETURNING seq)
      UPDATE sync_probe_record SET version = version + 1, seq = place.seq, cell = $2 FROM place
      WHERE zone = $1 AND name = 'record' RETURNING sync_probe_record.seq
      """
    guard PQsendPrepare(writer, "swap", swap, 0, nil) == 1 else { throw Failure("libpq does not send") }
    while let result = PQgetResult(writer) { PQclear(result) }
    let cell = String(repeating: "c", count: 64)
    let (began, wanted) = (Instant.now, UInt64(seconds * 1e9))
    var changes = 0
    while Instant.now - began < wanted {
      PQenterPipelineMode(writer)
      for number in 1...count {
        let sent = "zone\(number)".withCString { zone in
          cell.withCString { PQsendQueryPrepared(writer, "swap", 2, [zone, $0], nil, nil, 1) }
        }
        guard sent == 1 else { throw Failure("libpq does not send") }
      }
      PQpipelineSync(writer)
      for _ in 1...count {
        let result = PQgetResult(writer)
        guard PQntuples(result) == 1 else { throw Failure("a bare swap came to nothing") }
        PQclear(result)
        PQclear(PQgetResult(writer))
      }
      PQclear(PQgetResult(writer))
      PQexitPipelineMode(writer)
      changes += count
    }
    return Double(changes) / (Double(Instant.now - began) / 1e9)
  }
}
