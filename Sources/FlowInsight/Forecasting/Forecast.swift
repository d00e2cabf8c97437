import FlowEngine
import FlowModel

/// What launches are going to do.
package struct Forecast: Sendable {
  /// What they were played with.
  package let model: ForecastModel
  /// When everything is ready, without the floor.
  package let ready: Quantiles
  /// When the gate opens.
  package let opened: Quantiles
  /// The share of launches whose gate times out.
  package let missed: Double
  /// The share of launches whose gate fails.
  package let failed: Double
  /// The share of launches that the floor holds.
  package let heldShare: Double
  /// How long it holds those, on the average.
  package let heldMilliseconds: Double
  /// What the first launches were made of.
  package internal(set) var closeLook = CloseLook()
  /// What would help, the most first.
  package internal(set) var levers: [Lever] = []
  private let blocks: [ForecastBlock]

  /// The launches of one block.
  package static let blockLaunches = 1_000

  /// Blocks of launches, in any order of being played; each is a value of its own.
  package static func blocks(of launches: Int) -> [Range<Int>] {
    stride(from: 0, to: launches, by: blockLaunches).map { $0..<min(launches, $0 + blockLaunches) }
  }

  /// Puts blocks together, which stand in the order of their launches.
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
    let floor = model.resolution.gate.floorNanoseconds
    var held = (count: 0, nanoseconds: 0.0)
    for launch in outcomes.indices where outcomes[launch] == .ready && readyAt[launch] < floor {
      held.count += 1
      held.nanoseconds += Double(openedAt[launch] - readyAt[launch])
    }
    heldShare = Double(held.count) / count
    heldMilliseconds = held.count == 0 ? 0 : held.nanoseconds / Double(held.count) / 1_000_000
  }

  /// When everything was ready, launch by launch; `Int.max`: never.
  package var readyTimes: [Int] { blocks.flatMap(\.readyAt) }

  /// How many launches were played.
  package var launches: Int { ready.count }

  /// How long a step takes where it runs.
  package func lengths(of step: StepIndex) -> LengthQuantiles {
    let count = model.graph.workflow.steps.count
    var column: [PackedLength] = []
    column.reserveCapacity(launches)
    for block in blocks {
      var index = Int(step)
      while index < block.lengths.count {
        if block.lengths[index] != .none { column.append(block.lengths[index]) }
        index += count
      }
    }
    return LengthQuantiles(column)
  }

  /// The steps that nothing is known of and that run in some launch, so that they are thought to take no time.
  package var stepsThatRestOnNothing: [StepIndex] {
    model.graph.workflow.steps.indices.map { StepIndex($0) }.filter {
      model.source(of: $0) == .nothing && lengths(of: $0).count > 0
    }
  }
}
