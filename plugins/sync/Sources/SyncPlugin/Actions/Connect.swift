import FlowModel
import FlowPluginKit
import enum SyncCore.ZoneName
import SyncEngine
import SyncPomodoro

/// Opens the device's own file and begins to synchronize a zone with where it lives (S13).
struct Connect: AsyncAction {
  static let name = "sync.connect"
  static let summary = "Begins to synchronize a timer with a shared file or a server"
  static let provides: [ResourceKey] = [.syncConnection]
  static let errors = [Failure.store, Failure.backend, Failure.paused, Failure.input]
  static let example = """
    uses: sync.connect
    with: { device: mac, store: shared.sqlite }
    """

  struct Input: ActionInput {
    @Field("The device's readable name; its identity is made from it once and kept") var device = "device"
    @Field("The SQLite file that the devices share; needs no server") var store: DataPath?
    @Field("The address of a sync server instead, such as http://127.0.0.1:8480") var server: String?
    @Field("The zone's token for that server") var token: String?
    @Field("The zone; its devices share one timer") var zone = "PomodoroZone"
    @Field("The device's own file; default: sync-DEVICE.sqlite in the data folder, with -ZONE for another zone")
    var file: DataPath?
    @Field("The app's version, as the other devices see it") var version: String = Release.version
  }

  struct Output: ActionOutput {
    var device: String
    var zone: String
    var file: String
    var waiting: Int

    static let summaries = [
      "device": "The device's identity", "zone": "The zone", "file": "The device's own file",
      "waiting": "Changes from earlier that wait to be sent",
    ]
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output {
    let stem = String(input.device.prefix(40))
    guard !stem.isEmpty else {
      throw ActionError(Failure.input.code, "'device' is empty; give the device a name such as mac")
    }
    guard ZoneName.isWellFormed(input.zone) else {
      throw ActionError(Failure.input.code, "'zone' is '\(input.zone)'; \(ZoneName.rule)")
    }
    let own = stem + (input.zone == PomodoroPolicy.zone ? "" : "-" + input.zone)
    let file = input.file?.path ?? "\(context.run.dataFolder)/sync-\(Self.fileName(own)).sqlite"
    let connection = try await Connection.open(
      device: stem, zone: input.zone, place: try place(input, context), file: file)
    context.provide(.syncConnection, connection) { try connection.close() }
    let status = await connection.session.status()
    if status.outboxDepth > 0 { context.log("\(NoticeText.waiting(status.outboxDepth, "from earlier")) to be sent") }
    try await connection.announce(name: stem, version: input.version)
    return Output(device: status.device.name, zone: input.zone, file: file, waiting: status.outboxDepth)
  }

  private func place(_ input: Input, _ context: ActionContext) throws -> Connection.Place {
    let server = input.server.flatMap { $0.isEmpty ? nil : $0 }
    let store = input.store.flatMap { $0.path.isEmpty ? nil : $0.path }
    switch (server, store) {
    case (let server?, nil): return .server(server, token: input.token ?? "")
    case (nil, let store?): return .file(store)
    case (nil, nil): return .file("\(context.run.dataFolder)/shared.sqlite")
    case (_?, _?):
      throw ActionError(Failure.input.code, "'store' and 'server' are both given; a zone lives in one place")
    }
  }

  /// A name as part of a file's name.
  static func fileName(_ name: String) -> String {
    String(name.map { $0.isLetter || $0.isNumber || "._-".contains($0) ? $0 : "-" })
  }
}
