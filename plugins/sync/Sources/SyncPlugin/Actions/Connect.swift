import FlowModel
import FlowPluginKit
import enum SyncCore.RecordLimits
import struct SyncCore.SyncSubscription
import enum SyncCore.ZoneName
import SyncDevice
import SyncEngine
import SyncPomodoro
import SyncRecords

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Opens the device's own file and starts to synchronize it with a zone (S13).
struct Connect: AsyncAction, DetailedAction {
  static let name = "sync.connect"
  static let summary = "Starts synchronizing a timer, or the records of a schema, with a shared file or a server"
  static let provides: [HandleKey] = [.syncConnection]
  static let errors = [
    Failure.store, Failure.backend, Failure.paused, Failure.input, Failure.inUse, Failure.zoneFull, Failure.refused,
    Failure.schema, Failure.otherStore,
  ]
  static let example = """
    uses: sync.connect
    with: { device: mac, store: shared.sqlite }
    """

  struct Input: ActionInput {
    @Field("The device's readable name, from which its identity is derived once; default: an unused one") var device:
      String?
    @Field("The SQLite file that the devices share; needs no server") var store: DataPath?
    @Field("The address of a sync server instead, such as https://sync.example.com") var server: String?
    @Field("The zone's token, or @FILE that holds it; default: the variable FLOWRUN_SYNC_TOKEN", isSecret: true)
    var token: String?
    @Field("A file of PEM certificates of trusted authorities; default: the system's")
    var certificates: SourcePath?
    @Field("A schema file, *.sync.yaml: which records the devices share; default: the timer's, pomodoro.sync.yaml")
    var schema: SourcePath?
    @Field(
      "The collections of the schema that this device holds, each with the values that its records must have: { notes: { folder: inbox }, folders: {} }; default: all"
    ) var subscribe: ValueObject?
    @Field("The zone; its devices share one timer, or the records of one schema") var zone = "PomodoroZone"
    @Field("The device's own file; default: sync-DEVICE.sqlite in the data folder, with @ZONE for another zone")
    var file: DataPath?
    @Field(
      "What to do when another store answers than that of this device's data: 'fail'; 'keep-apart', a file for each store; or 'merge', the data of both becomes one"
    ) var onOtherStore = OnOtherStore.fail
    @Field("The account that is signed in, if the address has a store for each") var account: String?
    @Field("The app's version, as the other devices see it") var version: String = Release.version
    @Field(
      "How long to wait for the first answer of a store that this device has never synchronized with, and with 'keep-apart' of any; a failed request ends it"
    )
    var wait = Duration.seconds(5)
    @Field("For testing a slow cloud: the minimum time of each of its answers, at most 1m") var delay =
      Duration.zero
  }

  static func check(_ input: LiteralInput) -> [InputProblem] {
    guard let text = input["delay"]?.stringValue, let delay = try? DurationText.parse(text), delay > longestDelay else {
      return []
    }
    return [InputProblem("delay", "a delay of \(text) is too long", help: "write at most 1m")]
  }

  private static let longestDelay = Duration.seconds(60)

  struct Output: ActionOutput {
    var device: String
    var zone: String
    var file: String
    var waiting: Int

    static let summaries = [
      "device": "The device's identity", "zone": "The zone", "file": "The device's own file",
      "waiting": "Changes of earlier runs that are waiting to be sent",
    ]
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output {
    guard input.delay <= Self.longestDelay else {
      throw ActionError(Failure.input.code, "'delay' is \(DurationText.format(input.delay)), at most 1m is allowed")
    }
    guard ZoneName.isWellFormed(input.zone) else {
      throw ActionError(Failure.input.code, "'zone' is '\(input.zone)'; \(ZoneName.rule)")
    }
    let (connection, name) = try await open(input, try home(input, context), context)
    let all = try? context.handle(.syncConnections, as: OpenConnections.self)
    context.provide(.syncConnection, connection) {
      all?.remove(connection)
      try connection.close()
    }
    await all?.add(connection)
    let waiting = await connection.waitingChanges
    if waiting > 0 { context.log("\(NoticeText.waiting(waiting, "from earlier")) to be sent") }
    try await connection.checkRoom(waiting: input.wait)
    // At this point, the rules of the zone are known if it has responded.
    do { try await connection.records.declare() } catch { throw Failure.error(error) }
    try await connection.announce(name: name, version: input.version)
    return Output(
      device: await connection.session.machine.replica.device.name, zone: input.zone, file: connection.file,
      waiting: waiting)
  }

  /// Opens the device with the given name. Without a name, opens the device `device` in the given file or, without a
  /// file, the first device whose file is not in use by another process.
  private func open(
    _ input: Input, _ home: Connection.Home, _ context: ActionContext
  ) async throws -> (Connection, String) {
    let schema = try schema(input, context)
    let subscription = try subscription(input, schema)
    func open(_ name: String) async throws -> (Connection, String) {
      let file = input.file?.path ?? DeviceFile.path(device: name, zone: input.zone, in: context.run.dataFolder)
      return (try await openOfStore(name, file, input, home, schema, subscription), name)
    }
    if let name = input.device, !name.isEmpty {
      guard name.count <= DeviceFile.longestName else {
        throw ActionError(
          Failure.input.code, "'device' has \(name.count) characters, at most \(DeviceFile.longestName) are allowed")
      }
      return try await open(name)
    }
    if input.file != nil { return try await open("device") }
    for number in 1..<RecordLimits.devices {
      do {
        return try await open(number == 1 ? "device" : "device-\(number)")
      } catch let error as ActionError where error.code == Failure.inUse.code {
        continue
      }
    }
    return try await open("device-\(RecordLimits.devices)")
  }

  /// Opens the device's file for the store that responds, according to `on-other-store`.
  private func openOfStore(
    _ name: String, _ base: String, _ input: Input, _ home: Connection.Home, _ schema: RecordSchema,
    _ subscription: SyncSubscription?
  ) async throws -> Connection {
    let (account, mode) = (input.account ?? "", input.onOtherStore)
    func connect(_ file: String) async throws -> Connection {
      try await Connection.open(
        device: name, zone: input.zone, home: home, file: file, account: account, onOtherStore: mode,
        delay: input.delay, schema: schema, subscription: subscription)
    }
    let place = StorePlace(address: home.address, account: account)
    var file = mode == .keepApart ? DeviceFile.path(of: base, at: place) ?? base : base
    var connection = try await connect(file)
    var meeting = await connection.meet(waiting: input.wait)
    if mode == .keepApart {
      switch meeting {
      case .own: return connection
      case .other(let store): file = DeviceFile.path(of: base, in: store) ?? DeviceFile.newPath(of: base)
      case .unknown: file = DeviceFile.newPath(of: base)
      }
      try connection.close(handingOverFor: 0)
      connection = try await connect(file)
      meeting = await connection.meet(waiting: input.wait)
    }
    if case .own = meeting { return connection }
    try connection.close(handingOverFor: 0)
    throw connection.failure(meeting, home: home)
  }

  /// Returns the schema in the given file, or the timer's schema if no file is given.
  private func schema(_ input: Input, _ context: ActionContext) throws -> RecordSchema {
    guard let path = input.schema?.path, !path.isEmpty else { return Pomodoro.schema }
    let source = (try? context.handle(.syncSchemas, as: SchemaSource.self)) ?? SchemaSource()
    return try source.schema(at: path) { FileManager.default.contents(atPath: path).map { Array($0) } }
  }

  /// Returns the requested part of the zone, or nil for the whole zone.
  private func subscription(_ input: Input, _ schema: RecordSchema) throws -> SyncSubscription? {
    guard let wanted = input.subscribe else { return nil }
    guard let path = input.schema?.path, !path.isEmpty else {
      throw ActionError(
        Failure.input.code, "'subscribe' needs a 'schema', the file that names the collections")
    }
    do throws(RecordProblem) {
      return try schema.subscription(wanted)
    } catch {
      throw ActionError(Failure.input.code, "'subscribe': \(error)")
    }
  }

  /// Returns the token: the text itself, the content of a file, or the value of an environment variable. The last two
  /// do not appear in lists of processes. A file may end with a newline. Throws if the file cannot be read or the
  /// command line contains the token.
  private func token(_ text: String) throws -> String {
    var token = text.isEmpty ? ProcessInfo.processInfo.environment["FLOWRUN_SYNC_TOKEN"] ?? "" : text
    if text.hasPrefix("@") {
      let path = String(text.dropFirst())
      guard let content = try? String(contentsOfFile: path, encoding: .utf8) else {
        throw ActionError(Failure.input.code, "the file '\(path)' with the token cannot be read")
      }
      token = content
    }
    // In Swift, a carriage return and a newline form a single character.
    if token.last?.isNewline == true { token.removeLast() }
    guard token.isEmpty || !CommandLine.arguments.contains(where: { $0.contains(token) }) else {
      throw ActionError(
        Failure.input.code,
        "the token is on the command line, where every user of this machine can read it; write it to a file that only you can read and give -i token=@FILE, or set FLOWRUN_SYNC_TOKEN"
      )
    }
    return token
  }

  private func home(_ input: Input, _ context: ActionContext) throws -> Connection.Home {
    let server = input.server.flatMap { $0.isEmpty ? nil : $0 }
    let store = input.store.flatMap { $0.path.isEmpty ? nil : $0.path }
    switch (server, store) {
    case (let server?, nil):
      if let network = try? context.handle(.syncNetwork, as: SyncNetwork.self) {
        return .backend(try network.backend(server), address: server)
      }
      let certificates = input.certificates.flatMap { $0.path.isEmpty ? nil : $0.path }
      return .server(server, token: try token(input.token ?? ""), certificates: certificates)
    case (nil, let store?): return .file(store)
    case (nil, nil): return .file("\(context.run.dataFolder)/shared.sqlite")
    case (_?, _?):
      throw ActionError(Failure.input.code, "'store' and 'server' cannot be combined; a zone is stored in one place")
    }
  }
}
