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
    /// Whether it holds the notes of one shelf alone.
    var isPartial = false

    /// How long it may take for anything, unless it is killed before.
    private static let limitSeconds = 60.0
    private static let flowrun = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("flowrun").path
    private var file: String { folder.file("sync-\(name).sqlite") }

    /// Has it do one thing.
    func run(_ subcommand: String, key: String = "kept", number: Int = 0) throws -> (status: Int32, output: String) {
      try ended(command(subcommand, key: key, number: number), doing: subcommand)
    }

    /// Has it put something, and kills it after so many seconds; whether that was saved, and whether it was killed before it
    /// had ended by itself.
    func put(key: String, number: Int, killedAfter seconds: Double) throws -> (isSaved: Bool, isKilled: Bool) {
      let (status, _) = try Shell.run(command("put", key: key, number: number, limit: seconds))
      return (status == 0, Self.isKilled(status))
    }

    /// Runs what must end by itself.
    private func ended(_ script: String, doing subcommand: String) throws -> (status: Int32, output: String) {
      let (status, output) = try Shell.run(script)
      if Self.isKilled(status) {
        throw Database.Failure(
          output: "\(name): '\(subcommand)' does not end in \(Self.limitSeconds) s: \(output.suffix(600))")
      }
      return (status, output)
    }

    /// Whether a program ended by SIGKILL, as `timeout` sends it: by itself, or as the shell that started it says it.
    private static func isKilled(_ status: Int32) -> Bool { status == SIGKILL || status == 128 + SIGKILL }

    /// Has it and another one put something at the same moment; gives how each ended.
    func run(besides other: RecordDevice, key: String, numbers: (Int, Int)) throws -> (Int32, Int32) {
      let (_, output) = try Shell.run(
        """
        \(command("put", key: key, number: numbers.0)) >/dev/null 2>&1 &
        \(other.command("put", key: key, number: numbers.1)) >/dev/null 2>&1
        second=$?
        wait $!
        echo "$? $second"
        """)
      let statuses = output.split(whereSeparator: \.isWhitespace).compactMap { Int32($0) }
      guard statuses.count == 2, !statuses.contains(where: Self.isKilled) else {
        throw Database.Failure(
          output:
            "\(name) and \(other.name): 'put' at the same moment does not end in \(Self.limitSeconds) s: \(output)")
      }
      return (statuses[0], statuses[1])
    }

    private func command(_ subcommand: String, key: String, number: Int, limit: Double = limitSeconds) -> String {
      let place = proxy == nil && !place.hasPrefix("http") ? folder.file(place) : place
      let workflow = folder.file(RecordWorkflows.name(of: subcommand, isPartial: isPartial))
      let shelf = number % 3 == 0 ? "high" : RecordWorkflows.shelf
      return """
        FLOWRUN_SYNC_CLOCK=\(clock) timeout -s KILL \(limit) '\(Self.flowrun)' '\(workflow)' \
        -i device=\(name) -i place='\(place)' -i key=\(key) -i number=\(number) -i opposite=\(-number) \
        -i shelf=\(shelf) --data '\(folder.path)' --no-history
        """
    }

    /// What it has parked, a line each.
    func notShown() throws -> [String] {
      // A program of its own takes longer than to look whether there is anything to ask it.
      guard FileManager.default.fileExists(atPath: file), replica()?.outbox.isEmpty != true else { return [] }
      let (_, output) = try sync("parked")
      return output.split(separator: "\n").map(String.init).filter { $0.first?.isNumber == true }
    }

    /// Gives up what it has parked.
    func discardAll() throws { _ = try sync("parked --discard all") }

    private func sync(_ words: String) throws -> (status: Int32, output: String) {
      try ended(
        "timeout -s KILL \(Self.limitSeconds) '\(Self.flowrun)' sync \(words) --device \(name) --data '\(folder.path)'",
        doing: "sync \(words)")
    }

    /// Takes another device's place in the zone from it; false where it does not know that one.
    func retire(_ other: RecordDevice) throws -> Bool {
      try sync("devices retire \(other.name)").status == 0
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
