import FlowEngine
import FlowModel

/// What runs are going to do.
package struct Forecast: Sendable {
  /// What they were played with.
  package let model: ForecastModel
  /// When everything is ready, without the minimum.
  package let ready: Quantiles
  /// When the gate opens.
  package let opened: Quantiles
  /// The share of runs whose gate times out.
  package let missed: Double
  /// The share of runs whose gate fails.
  package let failed: Double
  /// The share of runs that the minimum holds.
  package let heldShare: Double
  /// How long it holds those, on the average.
  package let heldMilliseconds: Double
  /// What the first runs were made of.
  package internal(set) var closeLook = CloseLook()
  /// What would help, the most first.
  package internal(set) var suggestions: [Suggestion] = []
  private let blocks: [ForecastBlock]

  /// The runs of one block.
  package static let blockRuns = 1_000

  /// Blocks of runs, in any order of being played; each is a value of its own.
  package static func blocks(of runs: Int) -> [Range<Int>] {
    stride(from: 0, to: runs, by: blockRuns).map { $0..<min(runs, $0 + blockRuns) }
  }

  /// Puts blocks together, which are in the order of their runs.
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

  /// When everything was ready, run by run; `Int.max`: never.
  package var readyTimes: [Int] { blocks.flatMap(\.readyAt) }

  /// The number of runs that were played.
  package var runs: Int { ready.count }

  /// How long a step takes where it runs.
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

  /// The steps that nothing is known of and that run in some run, so that they are thought to take no time.
  package var stepsThatRestOnNothing: [StepIndex] {
    model.graph.workflow.steps.indices.map { StepIndex($0) }.filter {
      model.source(of: $0) == .nothing && lengths(of: $0).count > 0
    }
  }
}
