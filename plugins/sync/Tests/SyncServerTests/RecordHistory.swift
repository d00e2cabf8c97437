#if Network
  import FlowBytes
  import Foundation
  import SyncCore
  import SyncEngine
  import SyncSimulation
  import Synchronization

  /// A history of records with real processes. Each action is a `flowrun` process with its own clock, on a network with
  /// every fault. The zone is in a shared file, or on one or two servers. Servers and databases are killed.
  ///
  /// Every process has a time limit. Its output is written to files, because another history's process could inherit a
  /// pipe and keep its reader waiting.
  final class RecordHistory {
    /// The location of the zone. Two servers share a database.
    enum Home: CaseIterable {
      case file, server, twoServers
    }

    /// The numbers of events in all histories.
    struct Counts {
      var histories = 0
      var acts = 0
      var partialDevices = 0
      var killedDevices = 0
      var killedServers = 0
      var killedDatabases = 0
      var copies = 0
      var retirements = 0

      /// The counts in one line.
      var text: String {
        "\(histories) histories, \(acts) acts, \(killedDevices) kills of devices, \(killedServers) of the server, "
          + "\(killedDatabases) of PostgreSQL, \(partialDevices) devices with a part, \(copies) copied files, "
          + "\(retirements) retirements"
      }
    }

    static let counts = Mutex(Counts())

    /// Except for the first of a history, one of three devices on average has only a part of the zone.
    private static let partialShare: UInt64 = 3

    private let seed: UInt64
    private let home: Home
    private var random: SplitMix64
    private let folder: TestFolder
    private let origin = Int64(Date().timeIntervalSince1970 * 1000)
    let zone: ServedZone?
    private(set) var devices: [RecordDevice] = []
    private var oracle = RecordOracle()
    /// True if a device uses a copied file or was retired. Its changes to a record that the others have forgotten may
    /// then be parked.
    private var mayPark = false
    /// The deviations from the expected results, as text.
    private(set) var problems: [String] = []

    init(seed: UInt64) throws {
      self.seed = seed
      random = SplitMix64(seed: seed)
      home = Home.allCases[Int(seed % 3)]
      folder = try TestFolder()
      // A database's clock runs at the normal speed, and a file has only the clocks of its devices.
      let scale = home == .server ? 4 : 1
      switch home {
      case .file: zone = nil
      case .server:
        zone = try ServedZone(folder: folder, servers: 1, database: nil, clock: "\(origin),\(scale),0")
      case .twoServers:
        zone = try ServedZone(folder: folder, servers: 2, database: try Database(), clock: "\(origin),1,0")
      }
      try RecordWorkflows.write(to: folder, home: home, rule: seed % 2 == 0 ? "edit-wins" : "delete-wins")
      // The first device has the whole zone.
      for number in 0..<(2 + Int(random.next() % 2)) {
        try addDevice(scale: scale, isPartial: number > 0 && random.next() % Self.partialShare == 0)
      }
    }

    @discardableResult private func addDevice(scale: Int, isPartial: Bool) throws -> RecordDevice {
      let offset = Int64.random(in: -3000...3000, using: &random)
      var device = RecordDevice(
        name: "d\(devices.count)", folder: folder, place: "zone.sqlite", proxy: nil,
        clock: "\(origin),\(scale),\(offset)", isPartial: isPartial)
      if isPartial { Self.counts.withLock { $0.partialDevices += 1 } }
      if let zone {
        device.proxy = try FaultProxy(server: zone.ports[devices.count % zone.ports.count], seed: random.next())
        device.place = "http://127.0.0.1:\(device.proxy?.port ?? 0)"
      }
      devices.append(device)
      return device
    }

    /// Runs the history and checks the results.
    func play() throws {
      defer {
        for device in devices { device.proxy?.stop() }
        zone?.kill()
      }
      for _ in 0..<Int.random(in: 6...12, using: &random) {
        Self.counts.withLock { $0.acts += 1 }
        try act()
      }
      Self.counts.withLock { $0.histories += 1 }
      for device in devices { device.proxy?.heal() }
      defer { problems += zone?.endedByThemselves ?? [] }
      var shown: [String] = []
      // In several rounds, all devices send their waiting changes and fetch those of the others.
      for _ in 0..<3 { shown = try devices.map(look) }
      for (device, mine) in zip(devices, shown) {
        let wanted = Self.rows(shown[0], isPartial: device.isPartial)
        if wanted == nil || Self.rows(mine, isPartial: false) != wanted {
          problems.append("\(device.name) shows \(mine), '\(devices[0].name)' \(shown[0])")
        }
      }
      problems += oracle.problems(with: shown[0], isFile: home == .file)
      for device in devices { problems += device.countProblems() }
    }

    // MARK: Actions

    private func act() throws {
      let device = devices[Int.random(in: 0..<devices.count, using: &random)]
      let key = RecordOracle.keys.randomElement(using: &random) ?? "kept"
      switch Int.random(in: 0..<16, using: &random) {
      case 0, 1:
        guard let zone else { return try put(device, "kept") }
        let killed = try zone.break(using: &random)
        Self.counts.withLock { counts in
          if killed == .database { counts.killedDatabases += 1 }
          if killed == .server { counts.killedServers += 1 }
        }
      case 2...4 where key != "kept": _ = try device.run("delete", key: key)
      case 5, 6:
        let number = oracle.begin("kept")
        let seconds = Double.random(in: 0.05...0.6, using: &random)
        let (isSaved, isKilled) = try device.put(key: "kept", number: number, killedAfter: seconds)
        if isKilled { Self.counts.withLock { $0.killedDevices += 1 } }
        oracle.end(number, isSaved: isSaved)
      case 7, 8: _ = try device.run("move", number: Int.random(in: 1...9, using: &random))
      case 9:
        let state = RecordOracle.states.randomElement(using: &random) ?? "idle"
        _ = try device.run("set", key: state)
      case 10: try copy(device)
      case 11: try retire(device)
      default: try put(device, key)
      }
    }

    private func put(_ device: RecordDevice, _ key: String) throws {
      let number = oracle.begin(key)
      let (status, _) = try device.run("put", key: key, number: number)
      oracle.end(number, isSaved: status == 0)
    }

    /// Copies a device's file and uses both files at the same time.
    private func copy(_ device: RecordDevice) throws {
      guard devices.count < 5 else { return }
      let twin = try addDevice(scale: home == .server ? 4 : 1, isPartial: device.isPartial)
      guard try device.copyFile(to: twin) else { return }
      mayPark = true
      Self.counts.withLock { $0.copies += 1 }
      let (one, other) = (oracle.begin("kept"), oracle.begin("kept"))
      let statuses = try device.run(besides: twin, key: "kept", numbers: (one, other))
      oracle.end(one, isSaved: statuses.0 == 0)
      oracle.end(other, isSaved: statuses.1 == 0)
    }

    /// Changes a record on an offline device, retires the device from another device, and then connects it again.
    private func retire(_ device: RecordDevice) throws {
      guard let other = devices.first(where: { $0.name != device.name && !$0.isPartial }) else { return }
      var away = device
      if device.proxy != nil { away.place = "http://127.0.0.1:9" }
      try put(away, "kept")
      guard try other.retire(device) else { return }
      mayPark = true
      Self.counts.withLock { $0.retirements += 1 }
      try put(other, "kept")
      try put(device, "kept")
    }

    // MARK: Judgment

    /// Returns the rows in the text, or nil if the text is invalid. If `isPartial`, returns only the rows that a device
    /// with a subscription would show.
    private static func rows(_ text: String, isPartial: Bool) -> [NSDictionary]? {
      let rows = (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [NSDictionary]
      guard isPartial else { return rows }
      return rows?.filter { $0["part"] as? String != "notes" || $0["shelf"] as? String == RecordWorkflows.shelf }
    }

    private func look(_ device: RecordDevice) throws -> String {
      let aside = try device.notShown()
      for line in aside where !mayPark || !line.contains("deleted meanwhile") || line.contains("notes/kept") {
        problems.append("\(device.name) has parked: \(line)")
      }
      if !aside.isEmpty { try device.discardAll() }
      let (status, output) = try device.run("query")
      if status != 0, try device.notShown().isEmpty {
        problems.append("\(device.name) does not settle: \(output.suffix(600))")
      }
      return output.split(separator: "\n").last { $0.hasPrefix("rows: ") }.map { String($0.dropFirst(6)) } ?? "nothing"
    }
  }
#endif
