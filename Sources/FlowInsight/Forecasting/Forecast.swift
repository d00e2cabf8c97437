import FlowEngine
import FlowModel

/// The combined results of many simulated runs.
package struct Forecast: Sendable {
  package let model: ForecastModel
  /// The distribution of the time until everything is ready, ignoring the gate's minimum.
  package let ready: Quantiles
  /// The distribution of the time until the gate opens.
  package let opened: Quantiles
  /// The share of runs whose gate times out.
  package let missed: Double
  /// The share of runs whose gate fails.
  package let failed: Double
  /// The share of runs whose gate is delayed by the minimum.
  package let heldShare: Double
  /// The mean delay by the minimum, in the runs that it delays, in milliseconds.
  package let heldMilliseconds: Double
  /// The summary of the critical paths. Empty until ``lookClosely()`` is called.
  package internal(set) var closeLook = CloseLook()
  /// The changes that would make the app ready earlier, the most effective first. Empty until ``findSuggestions(_:)``
  /// is called.
  package internal(set) var suggestions: [Suggestion] = []
  private let blocks: [ForecastBlock]

  /// The number of runs that are simulated together as one block.
  package static let blockRuns = 1_000

  /// Returns the numbers of the runs in each block. Blocks are independent and can be simulated in any order.
  package static func blocks(of runs: Int) -> [Range<Int>] {
    stride(from: 0, to: runs, by: blockRuns).map { $0..<min(runs, $0 + blockRuns) }
  }

  /// Combines blocks, which must be in the order of their run numbers.
  package init(_ model: ForecastModel, _ blocks: [ForecastBlock]) {
    self.model = model
    self.blocks = blocks
    let readyAt = blocks.flatMap(\.readyAt)
    let openedAt = blocks.flatMap(\.openedAt)
    let outcomes = blocks.flatMap(\.outcomes)
    ready = Quantiles(readyAt)
    opened = Quantiles(openedAt)
    let count = Double(max(1, outcomes.count))
    missed = Double(outcomes.count { $0 == .timedOut }) / count
    failed = Double(outcomes.count { $0 == .failed }) / count
    let minimum = model.resolution.gate.minimumNanoseconds
    var held = (count: 0, nanoseconds: 0.0)
    for run in outcomes.indices where outcomes[run] == .ready && readyAt[run] < minimum {
      held.count += 1
      held.nanoseconds += Double(openedAt[run] - readyAt[run])
    }
    heldShare = Double(held.count) / count
    heldMilliseconds = held.count == 0 ? 0 : held.nanoseconds / Double(held.count) / 1_000_000
  }

  /// The time until everything was ready in each run, in nanoseconds, or `Int.max` if it never was.
  package var readyTimes: [Int] { blocks.flatMap(\.readyAt) }

  package var runs: Int { ready.count }

  /// Returns the distribution of a step's length in the runs that execute it.
  package func lengths(of step: StepIndex) -> LengthQuantiles {
    let count = model.graph.workflow.steps.count
    var column: [PackedLength] = []
    column.reserveCapacity(runs)
    for block in blocks {
      var index = Int(step)
      while index < block.lengths.count {
        if block.lengths[index] != .none { column.append(block.lengths[index]) }
        index += count
      }
    }
    return LengthQuantiles(column)
  }

  /// The steps that ran in a simulation although nothing is known about their duration. They are assumed to take no
  /// time.
  package var stepsThatRestOnNothing: [StepIndex] {
    model.graph.workflow.steps.indices.map { StepIndex($0) }.filter {
      model.source(of: $0) == .nothing && lengths(of: $0).count > 0
    }
  }
}
