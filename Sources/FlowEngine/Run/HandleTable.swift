import FlowModel
import FlowPluginKit
import Synchronization

/// The handles of a run, in the order in which they were provided.
final class HandleTable: Sendable {
  struct ProvidedHandle: Sendable {
    var key: HandleKey
    var handle: any Sendable
    var close: @Sendable () throws -> Void
    /// The step that provided the handle, or nil if a plugin did.
    var step: StepIndex?
  }

  private let entries: Mutex<[ProvidedHandle]>
  private let graph: WorkflowGraph

  init(graph: WorkflowGraph, handles: [PluginHandle]) {
    self.graph = graph
    entries = Mutex(handles.map { ProvidedHandle(key: $0.key, handle: $0.handle, close: {}, step: nil) })
  }

  /// Returns the handle with `key` for `step`, or nil if there is none. If several steps provide it, the last one that
  /// is upstream of `step` counts.
  func handle(_ key: HandleKey, for step: StepIndex) -> (any Sendable)? {
    // A step's handle takes precedence over a plugin's. The graph is searched only if several steps provide the handle.
    var provided = 0
    let last = entries.withLock { entries -> (any Sendable)? in
      var found: (any Sendable)?
      for index in entries.indices where entries[index].key == key {
        guard entries[index].step != nil || provided == 0 else { continue }
        found = entries[index].handle
        if entries[index].step != nil { provided += 1 }
      }
      return found
    }
    guard provided > 1 else { return last }
    return entries.withLock { $0.filter { $0.key == key && $0.step != nil } }.last { isBefore($0.step!, step) }?.handle
  }

  /// Adds a handle. Returns the closure that closes the earlier handle with the same key and step, or nil if there was
  /// none.
  func provide(_ entry: ProvidedHandle) -> (@Sendable () throws -> Void)? {
    entries.withLock { entries in
      guard let index = entries.firstIndex(where: { $0.key == entry.key && $0.step == entry.step }) else {
        entries.append(entry)
        return nil
      }
      let replaced = entries.remove(at: index)
      entries.append(entry)
      return replaced.close
    }
  }

  /// Removes and returns all handles, the latest first.
  func takeAll() -> [ProvidedHandle] {
    entries.withLock { entries in
      defer { entries.removeAll() }
      return entries.reversed()
    }
  }

  private func isBefore(_ ancestor: StepIndex, _ step: StepIndex) -> Bool {
    var visited: Set<StepIndex> = [step]
    var stack = [step]
    while let next = stack.popLast() {
      if next == ancestor { return true }
      for need in graph.workflow.steps[Int(next)].needs where visited.insert(need).inserted { stack.append(need) }
    }
    return false
  }
}
