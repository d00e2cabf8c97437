#if Network
  import Foundation
  import SyncEngine
  import SyncSQLite

  /// A device of a history of records. Each of its actions is a separate `flowrun` process.
  struct RecordDevice {
    var name: String
    var folder: TestFolder
    /// The location of its zone: a file, or the address of its proxy.
    var place: String
    var proxy: FaultProxy?
    /// The value of `FLOWRUN_SYNC_CLOCK`.
    var clock: String
    /// True if it subscribes to only one shelf of the notes, and to all other collections.
    var isPartial = false

    /// The default time limit of a process, after which it is killed and the test fails.
    private static let limitSeconds = 60.0
    private static let flowrun = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("flowrun").path
    private var file: String { folder.file("sync-\(name).sqlite") }

    /// Runs the workflow for one action and waits until it has ended.
    func run(_ subcommand: String, key: String = "kept", number: Int = 0) throws -> (status: Int32, output: String) {
      try ended(command(subcommand, key: key, number: number), doing: subcommand)
    }

    /// Puts a record, and kills the process if it has not ended after `seconds`. Returns whether the record was saved,
    /// and whether the process was killed.
    func put(key: String, number: Int, killedAfter seconds: Double) throws -> (isSaved: Bool, isKilled: Bool) {
      let (status, _) = try Shell.run(command("put", key: key, number: number, limit: seconds))
      return (status == 0, Self.isKilled(status))
    }

    /// Runs a script and throws an error if it reached the time limit.
    private func ended(_ script: String, doing subcommand: String) throws -> (status: Int32, output: String) {
      let (status, output) = try Shell.run(script)
      if Self.isKilled(status) {
        throw Database.Failure(
          output: "\(name): '\(subcommand)' does not end in \(Self.limitSeconds) s: \(output.suffix(600))")
      }
      return (status, output)
    }

    /// True if the process was ended by `timeout` with SIGKILL. The shell may report this as 128 plus the signal.
    private static func isKilled(_ status: Int32) -> Bool { status == SIGKILL || status == 128 + SIGKILL }

    /// Puts records by this device and another one at the same time. Returns the exit statuses.
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

    /// Returns the parked changes as lines of text.
    func notShown() throws -> [String] {
      // Reading the file is faster than running a program that would report nothing.
      guard FileManager.default.fileExists(atPath: file), replica()?.outbox.isEmpty != true else { return [] }
      let (_, output) = try sync("parked")
      return output.split(separator: "\n").map(String.init).filter { $0.first?.isNumber == true }
    }

    func discardAll() throws { _ = try sync("parked --discard all") }

    private func sync(_ words: String) throws -> (status: Int32, output: String) {
      try ended(
        "timeout -s KILL \(Self.limitSeconds) '\(Self.flowrun)' sync \(words) --device \(name) --data '\(folder.path)'",
        doing: "sync \(words)")
    }

    /// Retires another device from the zone. Returns false if the other device is unknown to this one.
    func retire(_ other: RecordDevice) throws -> Bool {
      try sync("devices retire \(other.name)").status == 0
    }

    /// Copies the file of the device, with its waiting changes, to another device. Returns false if there is no file.
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

    private func replica() -> Replica? {
      let file = file
      return ProcessHistory.waited { () async -> Replica? in
        guard let store = try? SQLiteReplicaStore(path: file, isReadOnly: true) else { return nil }
        defer { try? store.close() }
        return (try? await store.load()).flatMap { try? Replica(stored: $0) } ?? nil
      }
    }

    /// Returns a message if the device has counted fewer requests than its proxy has seen. The schema has no budget, so
    /// their number is not limited.
    func countProblems() -> [String] {
      guard let proxy, FileManager.default.fileExists(atPath: file) else { return [] }
      let counted = replica()?.statistics.requests
      guard let counted, proxy.requests <= counted else {
        return ["\(name): \(proxy.requests) requests on the wire, \(counted.map { "\($0)" } ?? "unknown") counted"]
      }
      return []
    }
  }
#endif
