import FlowModel
import FlowPluginKit
import SyncCore
import SyncDevice
import SyncEngine

/// Follows the zone until the run ends (S16, S31, S38). Posts an event for each change made on another device, and logs
/// the changes of a timer with the rule that decided them.
struct Subscribe: StepService {
  static let name = "sync.subscribe"
  static let summary = "Follows the other devices' changes during the run"
  static let requires: [HandleKey] = [.syncConnection]
  static let events = ["sync.changed", "sync.parked", "sync.paused", "sync.started", "sync.finished"]

  struct Output: ActionOutput {
    var device: String
    static let summaries = ["device": "The device's identity"]
  }

  nonisolated(nonsending) func run(_ input: NoInput, in context: ActionContext) async throws -> Output {
    let connection: Connection = try context.handle(.syncConnection)
    let notices = connection.notices()
    let output = Output(device: await connection.session.status().device.name)
    context.ready(output)
    var progress = SyncProgress()
    for await (notice, machine) in notices {
      if let line = progress.take(notice, machine) { context.log(line) }
      if let line = NoticeText.line(notice, machine, connection.records.schema) { context.log(line) }
      switch notice {
      case .changed(let key, remote: true, rule: _)
      where key.type != DeviceInfo.collection && key.type != ZoneRules.type:
        try context.post("sync.changed")
      case .parked: try context.post("sync.parked")
      case .paused: try context.post("sync.paused")
      case .synchronizing(let isBusy): try context.post(isBusy ? "sync.started" : "sync.finished")
      default: break
      }
    }
    return output
  }
}
