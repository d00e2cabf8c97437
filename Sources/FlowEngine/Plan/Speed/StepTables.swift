import FlowModel

/// The states and traits of all steps, the queues and the log, in memory that plans access without further checks.
///
/// A plan accesses them dozens of times per step, and arrays would check uniqueness and bounds on each access. Here
/// uniqueness is checked once per event (``makeUnique()``), and bounds only in debug builds.
///
/// Proof of safety: the blocks are allocated and initialized in `Blocks.init`, never move, and are freed with the last
/// plan that refers to them. Copies of a plan share them. Every method that writes is reached only through a mutating
/// entry of ``Plan`` that has called ``makeUnique()``, so the writer is their only owner. Indices are those of steps
/// and queues of one graph, for which the blocks were created. After the last step's traits there is one more entry,
/// which marks the end of the last step's successors.
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
  private(set) var states: UnsafeMutableBufferPointer<StepState>
  private(set) var traits: UnsafeMutableBufferPointer<StepTraits>
  private(set) var queues: UnsafeMutableBufferPointer<PlanQueue>
  private(set) var log: UnsafeMutablePointer<RecordLog>
  /// The end of the list of finished steps, which are in the order in which they finished. A step that finishes while
  /// `n` steps are unfinished is stored at `orderEnd[-n]`.
  private(set) var orderEnd: UnsafeMutablePointer<StepIndex>

  init(count: Int) { self.init(Blocks(count: count)) }

  private init(_ blocks: Blocks) {
    self.blocks = blocks
    states = blocks.states
    // Omit the additional entry after the last step.
    traits = UnsafeMutableBufferPointer(rebasing: blocks.traits.dropLast())
    queues = blocks.queues
    log = blocks.log
    orderEnd = blocks.order + blocks.states.count
  }

  /// Replaces the queues. The new queues have no ready steps.
  mutating func setQueues(_ new: [PlanQueue]) {
    blocks.setQueues(new)
    queues = blocks.queues
  }

  /// Returns a range of the finished steps, in the order in which they finished.
  func order(_ range: Range<Int>) -> UnsafeBufferPointer<StepIndex> {
    UnsafeBufferPointer(start: orderEnd - states.count + range.lowerBound, count: range.count)
  }

  /// Copies the blocks if another plan shares them, and must be called before any write. Returns true if it has copied
  /// them, so that earlier pointers are invalid.
  mutating func makeUnique() -> Bool {
    if isKnownUniquelyReferenced(&blocks) { return false }
    self = StepTables(Blocks(copying: blocks))
    return true
  }
}

extension UnsafeMutableBufferPointer {
  @inline(__always)
  subscript(step: StepIndex) -> Element {
    get { self[Int(step)] }
    nonmutating _modify { yield &self[Int(step)] }
  }

  @inline(__always)
  subscript(index: UInt16) -> Element {
    get { self[Int(index)] }
    nonmutating _modify { yield &self[Int(index)] }
  }
}

extension UnsafeMutablePointer {
  @inline(__always)
  subscript(step: StepIndex) -> Pointee {
    get { self[Int(step)] }
    nonmutating _modify { yield &self[Int(step)] }
  }
}
