import FlowModel

/// Something that is due at an instant.
struct PlanTimer: Sendable, Comparable {
  /// What is due; at one instant the order of the cases is the order in which they are handled.
  enum Kind: UInt8, Sendable {
    /// A step's or a try's ceiling.
    case deadline
    case retry
    case floor
    /// The end of the time that a cancelled body has to return.
    case grace
    /// The end of the time that steps have which run during cancellation.
    case cleanupLimit
    /// The end of the time that steps wait for a held main queue.
    case mainLimit
  }

  var atNanoseconds: Int
  var kind: Kind
  var step: StepIndex
  /// The try it is for; 0 where it is for the step as a whole.
  var attempt: UInt8

  static func < (left: PlanTimer, right: PlanTimer) -> Bool {
    if left.atNanoseconds != right.atNanoseconds { return left.atNanoseconds < right.atNanoseconds }
    if left.kind != right.kind { return left.kind.rawValue < right.kind.rawValue }
    if left.step != right.step { return left.step < right.step }
    return left.attempt < right.attempt
  }
}

/// A binary heap of timers, the next one first. Timers are never removed early: one whose step went on is ignored when
/// it comes.
struct TimerHeap: Sendable {
  private var timers: [PlanTimer] = []

  var next: PlanTimer? { timers.first }

  mutating func insert(_ timer: PlanTimer) {
    timers.append(timer)
    var child = timers.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard timers[child] < timers[parent] else { return }
      timers.swapAt(child, parent)
      child = parent
    }
  }

  mutating func removeNext() {
    timers.swapAt(0, timers.count - 1)
    timers.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < timers.count && timers[child] < timers[least] {
        least = child
      }
      guard least != parent else { return }
      timers.swapAt(parent, least)
      parent = least
    }
  }
}
