import Foundation

/// What synchronising costs and how fast it is, on loopback; a line of JSON for each row, then a table.
///
/// `SyncBenchmarks [CONNINFO]`: with libpq's connection information also the rows that need PostgreSQL. It starts itself
/// for the devices and the server that run in processes of their own (`follow`, `serve`).
@main struct SyncBenchmarks {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch (arguments.first, arguments.count) {
    case ("follow", 3):
      try await Devices.follow(arguments[1] == "file" ? .file(arguments[2]) : .server(arguments[2]))
    case ("serve", 3): try await Devices.serve(arguments[1], zone: arguments[2])
    default: try await measure(arguments.first)
    }
  }

  private static func measure(_ information: String?) async throws {
    let figures = Figures()
    Values.merging(figures)
    Values.histories(figures)
    let file = NSTemporaryDirectory() + "sync-benchmark-shared-\(UUID().uuidString).sqlite"
    figures.add(
      "action to other process, one SQLite file", try await Devices.latencies(.file(file)),
      bars: [(50, nil), (99, 150)]
    )
    if let information { try await measure(figures, information) }
    print(figures.table)
  }

  private static func measure(_ figures: Figures, _ information: String) async throws {
    figures.add(
      "bare libpq: write, NOTIFY, listener",
      try await PostgresProbe.writeAndNotify(information, count: Devices.actions), bars: [(50, nil), (99, nil)])
    try await Devices.serving(information) { address in
      figures.add(
        "action to other process, server and PostgreSQL", try await Devices.latencies(.server(address)),
        bars: [(50, 10), (99, 50)])
    }
    let (many, one) = (
      try await Database.commits(information, writers: 16, zones: 16),
      try await Database.commits(information, writers: 16, zones: 1)
    )
    figures.add(
      "commits on PostgreSQL, 16 writers", many, "/s", atLeast: 5000,
      detail: "all to one zone \(Figures.short(one.rounded())) /s",
      figures: ["commitsPerSecond": many, "oneZoneCommitsPerSecond": one])
    try await Database.catchUp(information, figures)
  }
}
