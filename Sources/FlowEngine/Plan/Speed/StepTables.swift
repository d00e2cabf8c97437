import FlowModel

/// What changes and what is fixed about every step, the queues, and what happened, in blocks of memory.
///
/// A plan touches them dozens of times a step; arrays would check at each touch whether they are shared and whether the
/// index is in bounds. Here the first is checked once for each event (``makeUnique()``), the second in debug builds.
///
/// Proof of safety: the blocks are allocated and initialized in `Blocks.init`, never move, and are freed with the last
/// plan that refers to them. Copies of a plan share them; every method that writes is reached only through a mutating
/// entry of ``Plan`` that has called ``makeUnique()``, so that who writes is alone in holding them. Indices are those of
/// steps and queues of one graph, for which the blocks are made; after the last step's traits comes one entry that only
/// says where the last step's successors end.
struct StepTables: @unchecked Sendable {
  private final class Blocks {
    let states: UnsafeMutableBufferPointer<StepState>
    let traits: UnsafeMutableBufferPointer<StepTraits>
    var queues: UnsafeMutableBufferPointer<PlanQueue>
    let log: UnsafeMutablePointer<RecordLog>
    let order: UnsafeMutablePointer<StepIndex>

    init(count: Int) {
      log = .allocate(capacity: 1)
      log.initialize(to: RecordLog())
      states = .allocate(capacity: count)
      traits = .allocate(capacity: count + 1)
      order = .allocate(capacity: max(1, count))
      order.initialize(repeating: 0, count: count)
      states.initialize(repeating: StepState())
      traits.initialize(repeating: StepTraits())
      queues = .allocate(capacity: 0)
    }

    init(copying other: Blocks) {
      log = .allocate(capacity: 1)
      log.initialize(to: other.log.pointee.copied())
      states = .allocate(capacity: other.states.count)
      traits = .allocate(capacity: other.traits.count)
      _ = states.initialize(from: other.states)
      _ = traits.initialize(from: other.traits)
      order = .allocate(capacity: max(1, states.count))
      order.initialize(from: other.order, count: states.count)
      queues = .allocate(capacity: other.queues.count)
      _ = queues.initialize(from: other.queues)
      for index in queues.indices { queues[index].ready = queues[index].ready.copied() }
    }

    /// Replaces the queues by others, none of whose steps are ready.
    func setQueues(_ new: [PlanQueue]) {
      freeQueues()
      queues = .allocate(capacity: new.count)
      _ = queues.initialize(from: new)
      for index in queues.indices { queues[index].ready = ReadySet(capacity: queues[index].members.count) }
    }

    private func freeQueues() {
      for queue in queues { queue.ready.deallocate() }
      queues.deinitialize()
      queues.deallocate()
    }

    deinit {
      freeQueues()
      log.deinitialize(count: 1)
      log.deallocate()
      order.deallocate()
      states.deallocate()
      traits.deallocate()
    }
  }

  private var blocks: Blocks
  /// What changes about each step.
  private(set) var states: UnsafeMutableBufferPointer<StepState>
  /// What is fixed about each step.
  private(set) var traits: UnsafeMutableBufferPointer<StepTraits>
  /// The queues.
  private(set) var queues: UnsafeMutableBufferPointer<PlanQueue>
  /// The transitions that were not taken yet.
  private(set) var log: UnsafeMutablePointer<RecordLog>
  /// The steps in the order in which they finished, and where that order ends: a step that finishes while `n` are
  /// unfinished is `n` before the end.
  private(set) var orderEnd: UnsafeMutablePointer<StepIndex>

  /// Tables for this many steps.
  init(count: Int) { self.init(Blocks(count: count)) }

  private init(_ blocks: Blocks) {
    self.blocks = blocks
    states = blocks.states
    // Without the entry behind the last step's.
    traits = UnsafeMutableBufferPointer(rebasing: blocks.traits.dropLast())
    queues = blocks.queues
    log = blocks.log
    orderEnd = blocks.order + blocks.states.count
  }

  /// Replaces the queues; no step of the new ones is ready.
  mutating func setQueues(_ new: [PlanQueue]) {
    blocks.setQueues(new)
    queues = blocks.queues
  }

  /// The steps that finished, from one to another in the order in which they did.
  func order(_ range: Range<Int>) -> UnsafeBufferPointer<StepIndex> {
    UnsafeBufferPointer(start: orderEnd - states.count + range.lowerBound, count: range.count)
  }

  /// Makes sure that no other plan shares the blocks; to be called before anything is written. True when the tables have
  /// moved for it.
  mutating func makeUnique() -> Bool {
    if isKnownUniquelyReferenced(&blocks) { return false }
    self = StepTables(Blocks(copying: blocks))
    return true
  }
}

extension UnsafeMutableBufferPointer {
  /// The element of a step.
  @inline(__always)
  subscript(step: StepIndex) -> Element {
    get { self[Int(step)] }
    nonmutating _modify { yield &self[Int(step)] }
  }

  /// The element at a small index, such as that of a step's queue.
  @inline(__always)
  subscript(index: UInt16) -> Element {
    get { self[Int(index)] }
    nonmutating _modify { yield &self[Int(index)] }
  }
}

extension UnsafeMutablePointer {
  /// The entry of a step.
  @inline(__always)
  subscript(step: StepIndex) -> Pointee {
    get { self[Int(step)] }
    nonmutating _modify { yield &self[Int(step)] }
  }
}
