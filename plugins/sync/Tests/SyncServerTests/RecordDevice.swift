#if Network
  import Foundation
  import SyncEngine
  import SyncSQLite

  /// A device of a history of records: a `flowrun` for each thing that it does.
  struct RecordDevice {
    var name: String
    var folder: TestFolder
    /// Where its zone is: a file, or the address of its proxy.
    var place: String
    var proxy: FaultProxy?
    /// `FLOWRUN_SYNC_CLOCK`.
    var clock: String

    private static let flowrun = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("flowrun").path
    private var file: String { folder.file("sync-\(name).sqlite") }

    /// Has it do one thing, under a limit of so many seconds.
    func run(
      _ verb: String, key: String = "kept", number: Int = 0, killedAfter seconds: Double? = nil
    ) throws -> (status: Int32, output: String) {
      try Shell.run(command(verb, key: key, number: number, limit: seconds ?? 60))
    }

    /// Has it and another one put something at the same moment; gives how each ended.
    func run(besides other: RecordDevice, key: String, numbers: (Int, Int)) throws -> (Int32, Int32) {
      let (_, output) = try Shell.run(
        """
        \(command("put", key: key, number: numbers.0, limit: 60)) >/dev/null 2>&1 &
        \(other.command("put", key: key, number: numbers.1, limit: 60)) >/dev/null 2>&1
        second=$?
        wait $!
        echo "$? $second"
        """)
      let statuses = output.split(whereSeparator: \.isWhitespace).compactMap { Int32($0) }
      return statuses.count == 2 ? (statuses[0], statuses[1]) : (-1, -1)
    }

    private func command(_ verb: String, key: String, number: Int, limit: Double) -> String {
      let place = proxy == nil && !place.hasPrefix("http") ? folder.file(place) : place
      return """
        FLOWRUN_SYNC_CLOCK=\(clock) timeout -s KILL \(limit) '\(Self.flowrun)' '\(folder.file("\(verb).yaml"))' \
        -i device=\(name) -i place='\(place)' -i key=\(key) -i number=\(number) -i opposite=\(-number) \
        --data '\(folder.path)' --no-history
        """
    }

    /// What it has set aside, a line each.
    func setAside() throws -> [String] {
      guard FileManager.default.fileExists(atPath: file) else { return [] }
      let (_, output) = try Shell.run("'\(Self.flowrun)' sync parked --device \(name) --data '\(folder.path)'")
      return output.split(separator: "\n").map(String.init).filter { $0.first?.isNumber == true }
    }

    /// Gives up what it has set aside.
    func discardAll() throws {
      _ = try Shell.run("'\(Self.flowrun)' sync parked --discard all --device \(name) --data '\(folder.path)'")
    }

    /// Takes another device's place in the zone from it; false where it does not know that one.
    func retire(_ other: RecordDevice) throws -> Bool {
      try Shell.run(
        "'\(Self.flowrun)' sync devices retire \(other.name) --device \(name) --data '\(folder.path)'"
      ).status == 0
    }

    /// Gives another device a copy of its file, with all that waits in it; false where it has none.
    func copyFile(to other: RecordDevice) throws -> Bool {
      try Shell.run(
        """
        [ -f '\(file)' ] || exit 1
        for end in '' -wal; do
          [ ! -f '\(file)'$end ] || cp '\(file)'$end '\(other.file)'$end
        done
        """
      ).status == 0
    }

    /// How many changes wait in its file to be sent.
    func waiting() -> Int { replica()?.outbox.count { _ in true } ?? 0 }

    private func replica() -> Replica? {
      let file = file
      return ProcessHistory.waited { () async -> Replica? in
        guard let store = try? SQLiteReplicaStore(path: file, isReadOnly: true) else { return nil }
        defer { try? store.close() }
        return (try? await store.load()).flatMap { try? Replica(stored: $0) } ?? nil
      }
    }

    /// What keeps to its budget not, in words: what counts is what its proxy sees.
    func budgetProblems() -> [String] {
      guard let proxy, FileManager.default.fileExists(atPath: file) else { return [] }
      let counted = replica()?.statistics.requests
      guard let counted, proxy.requests <= counted else {
        return ["\(name): \(proxy.requests) requests on the wire, \(counted.map { "\($0)" } ?? "unknown") counted"]
      }
      return []
    }
  }
#endif
