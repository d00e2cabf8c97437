import FlowEngine
import FlowModel
import Synchronization

/// The items of steps as people read them: `fetch[98] https://…`. Views that show the same run share it.
final class ItemNames: Sendable {
  private let names = Mutex<[StepID: [String]]>([:])

  /// Notes the items of a step.
  func note(_ step: StepID, _ items: [String]) { names.withLock { $0[step] = items } }

  /// Notes what an event says of items.
  func note(_ event: RunEvent) { if case .stepItems(let step, let items) = event.kind { note(step, items) } }

  /// The id of a step; behind that of an item its key or value.
  func text(_ step: StepID) -> String {
    let id = step.text
    guard id.utf8.last == UInt8(ascii: "]"), let item = step.item else { return id }
    let name = names.withLock { $0[item.step].flatMap { $0.indices.contains(item.index) ? $0[item.index] : nil } }
    return name.map { "\(id) \($0)" } ?? id
  }
}
