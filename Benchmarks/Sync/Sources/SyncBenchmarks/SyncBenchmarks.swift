import Foundation

/// Measures the cost and the speed of synchronization on loopback. Prints each row as a line of JSON, and all rows as a
/// table at the end.
///
/// `SyncBenchmarks CONNINFO [ROWS…]`: `CONNINFO` is libpq's connection information. The rows are `merge`, `histories`,
/// `month`, `file`, `server` (compared with libpq alone), `commits`, `channels`, `catch-up`, `edit` and `backlog`;
/// without arguments, all of them are measured. The program starts itself with `follow`, `serve` or `look` for devices
/// and servers in separate processes.
@main struct SyncBenchmarks {
  private static let rows = [
    "merge", "histories", "month", "file", "server", "commits", "channels", "catch-up", "edit", "backlog",
  ]

  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch (arguments.first, arguments.count) {
    case ("follow", 3):
      try await Devices.follow(arguments[1] == "file" ? .file(arguments[2]) : .server(arguments[2]))
    case ("look", 2): try BareFile.look(arguments[1])
    case ("serve", 3): try await Devices.serve(arguments[1], zone: arguments[2])
    case (let information?, _):
      let wanted = Array(arguments.dropFirst())
      if let stranger = wanted.first(where: { !rows.contains($0) }) {
        throw Failure("'\(stranger)' is not a row; there are \(rows.joined(separator: ", "))")
      }
      let figures = Figures()
      for row in rows where wanted.isEmpty || wanted.contains(row) { try await measure(row, information, figures) }
      print(figures.table)
    default: throw Failure("usage: SyncBenchmarks CONNINFO [ROWS...]")
    }
  }

  private static func measure(_ row: String, _ information: String, _ figures: Figures) async throws {
    switch row {
    case "merge": Values.merging(figures)
    case "histories": await Values.histories(figures)
    case "month": Values.month(figures)
    case "file":
      let file = NSTemporaryDirectory() + "sync-benchmark-shared-\(UUID().uuidString).sqlite"
      let bare = try BareFile()
      let found = try await Devices.latencies(.file(file)) { try await bare.write() }
      bare.end()
      figures.add(
        "bare SQLite: write, another process looks every 50 ms", bare.latencies, bars: [(50, nil), (99, nil)])
      figures.add("action to other process, one SQLite file", found, bars: [(50, nil), (99, 150)])
      figures.add(
        "action to other process, one SQLite file, against bare SQLite", found, to: bare.latencies, bars: [(50, 1.5)])
    case "server":
      // The server and libpq alone alternate, so that both run on the same disk and machine under the same load.
      let probe = PostgresProbe(information)
      let found = try await Devices.serving(information) {
        try await Devices.latencies(.server($0)) { try probe.writeAndNotify() }
      }
      figures.add(
        "action to other process, server and PostgreSQL, against bare libpq", found, to: probe.latencies,
        bars: [(50, 4), (99, 8)])
      figures.add("bare libpq: write, NOTIFY, listener", probe.latencies, bars: [(50, nil), (99, nil)])
      figures.add("action to other process, server and PostgreSQL", found, bars: [(50, 10), (99, 50)])
    case "commits":
      let probe = PostgresProbe(information)
      // Libpq alone is measured before and after the backend, so that the conditions are comparable.
      let before = try probe.swapsPerSecond(together: 16, seconds: 2.5)
      let many = try await Database.commits(information, writers: 16, zones: 16)
      let bare = (before + (try probe.swapsPerSecond(together: 16, seconds: 2.5))) / 2
      let one = try await Database.commits(information, writers: 16, zones: 1)
      figures.add(
        "commits on PostgreSQL, 16 writers", many.perSecond, "/s", atLeast: 8000,
        detail:
          "each \(many.latencies.text); all to one zone \(Figures.short(one.perSecond.rounded())) /s; bare libpq, 16 together, \(Figures.short(bare.rounded())) /s",
        figures: many.latencies.figures.merging([
          "commitsPerSecond": many.perSecond, "processMicrosecondsPerCommit": many.processMicroseconds,
          "oneZoneCommitsPerSecond": one.perSecond, "bareSwapsPerSecond": bare,
        ]) { $1 })
      figures.add("commits on PostgreSQL, 16 writers, against bare libpq", many.perSecond / bare, "×")
    case "channels": try await Channels.measure(information, figures)
    case "catch-up":
      try await Database.catchUp(information, records: 10_000, atMostSeconds: 1, figures)
      try await Database.catchUp(information, records: 100_000, atMostSeconds: 5, figures)
    case "edit": try await Database.editing(figures)
    default: try await Backlog.measure(information, figures)
    }
  }
}
