import FlowModel
import Synchronization

/// Which steps the instances of a run belong to, for those who must not hold the run's lock.
final class InstanceTable: Sendable {
  private struct FirstInstance {
    var first: StepIndex
    var step: StepIndex
  }

  private let steps: Int
  /// By their first instances.
  private let entries = Mutex<[FirstInstance]>([])
  /// The last of them, first instance and step in one word, which is asked for most; an instance that someone has was made
  /// behind its entry.
  private let last = Atomic<UInt64>(UInt64.max)

  /// A table of a run with this many steps.
  init(steps: Int) { self.steps = steps }

  /// Notes that the items of a step have the instances from `first` on, which is beyond all others.
  func add(_ step: StepIndex, first: StepIndex) {
    entries.withLock {
      $0.append(FirstInstance(first: first, step: step))
      last.store(UInt64(first) << 32 | UInt64(step), ordering: .releasing)
    }
  }

  /// The step of an instance, and which of its items it is; nil: it is a step itself.
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

  /// The step of an instance; a step is its own.
  @inline(__always)
  func owner(of instance: StepIndex) -> StepIndex {
    Int(instance) < steps ? instance : item(of: instance)?.step ?? instance
  }
}
