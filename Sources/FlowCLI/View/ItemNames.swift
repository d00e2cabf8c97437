import FlowEngine
import FlowModel
import Synchronization

/// The names of items as users see them, such as `fetch[98] https://…`. All views of a run share them.
final class ItemNames: Sendable {
  private let names = Mutex<[StepID: [String]]>([:])

  func note(_ step: StepID, _ items: [String]) { names.withLock { $0[step] = items } }

  /// Records the names of a step's items if the event lists them.
  func note(_ event: RunEvent) { if case .stepItems(let step, let items) = event.kind { note(step, items) } }

  /// Returns the id of a step or item. An item's id is followed by its key or value.
  func text(_ step: StepID) -> String {
    let id = step.text
    guard id.utf8.last == UInt8(ascii: "]"), let item = step.item else { return id }
    return name(of: item.index, of: item.step).map { "\(id) \($0)" } ?? id
  }

  /// Returns the key or value of an item, or nil if it is unknown.
  func name(of item: Int, of step: StepID) -> String? {
    names.withLock { $0[step].flatMap { $0.indices.contains(item) ? $0[item] : nil } }
  }

  /// Returns the number of a step's items, or nil if it is unknown or the step has none.
  func count(of step: StepID) -> Int? { names.withLock { $0[step]?.count } }
}
