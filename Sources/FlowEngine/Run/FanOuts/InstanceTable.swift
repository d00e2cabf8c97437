import FlowModel
import Synchronization

/// The steps to which the instances of a run belong, readable without the run's lock.
final class InstanceTable: Sendable {
  private struct FirstInstance {
    var first: StepIndex
    var step: StepIndex
  }

  private let steps: Int
  /// The entries, by first instance.
  private let entries = Mutex<[FirstInstance]>([])
  /// The last entry, first instance and step in one word, which is read most often. An instance is only known to code
  /// after its entry was added.
  private let last = Atomic<UInt64>(UInt64.max)

  /// Creates a table for a run with this number of steps.
  init(steps: Int) { self.steps = steps }

  /// Records that the items of a step have the instances from `first` on, which come after all others.
  func add(_ step: StepIndex, first: StepIndex) {
    entries.withLock {
      $0.append(FirstInstance(first: first, step: step))
      last.store(UInt64(first) << 32 | UInt64(step), ordering: .releasing)
    }
  }

  /// The step and item of an instance, or nil if it is a step itself.
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

  /// The step of an instance. A step is its own owner.
  @inline(__always)
  func owner(of instance: StepIndex) -> StepIndex {
    Int(instance) < steps ? instance : item(of: instance)?.step ?? instance
  }
}
