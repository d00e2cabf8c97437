import FlowModel
import Synchronization

/// Finds the step that an instance belongs to. It can be read without the run's lock.
final class InstanceTable: Sendable {
  private struct FirstInstance {
    var first: StepIndex
    var step: StepIndex
  }

  private let steps: Int
  /// The entries, sorted by their first instance.
  private let entries = Mutex<[FirstInstance]>([])
  /// A copy of the last entry, which is read most often: its first instance and its step, in one atomic word. No code
  /// uses an instance before the entry for it has been added.
  private let last = Atomic<UInt64>(UInt64.max)

  /// - Parameter steps: The number of steps in the run.
  init(steps: Int) { self.steps = steps }

  /// Records that the items of a step have the instances from `first` on. All instances added before must be lower.
  func add(_ step: StepIndex, first: StepIndex) {
    entries.withLock {
      $0.append(FirstInstance(first: first, step: step))
      last.store(UInt64(first) << 32 | UInt64(step), ordering: .releasing)
    }
  }

  /// Returns the step and index of an item, or nil if `instance` is a step.
  func item(of instance: StepIndex) -> (step: StepIndex, item: Int)? {
    guard Int(instance) >= steps else { return nil }
    let last = last.load(ordering: .acquiring)
    if UInt64(instance) >= last >> 32 {
      return (StepIndex(truncatingIfNeeded: last & 0xFFFF_FFFF), Int(instance) - Int(last >> 32))
    }
    return entries.withLock { entries in
      var (low, high) = (0, entries.count)
      while high - low > 1 {
        let middle = (low + high) / 2
        if entries[middle].first <= instance { low = middle } else { high = middle }
      }
      return (entries[low].step, Int(instance - entries[low].first))
    }
  }

  /// Returns the step that an item belongs to, or the step itself.
  @inline(__always)
  func owner(of instance: StepIndex) -> StepIndex {
    Int(instance) < steps ? instance : item(of: instance)?.step ?? instance
  }
}
