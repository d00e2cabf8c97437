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
    return name(of: item.index, of: item.step).map { "\(id) \($0)" } ?? id
  }

  /// The key or value of an item; nil if it is not known.
  func name(of item: Int, of step: StepID) -> String? {
    names.withLock { $0[step].flatMap { $0.indices.contains(item) ? $0[item] : nil } }
  }

  /// The number of items of a step; nil if it is not known, or if the step has none.
  func count(of step: StepID) -> Int? { names.withLock { $0[step]?.count } }
}
