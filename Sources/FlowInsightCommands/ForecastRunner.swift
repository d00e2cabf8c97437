import FlowCLI
import FlowCommandKit
import FlowInsight
import FlowModel

/// Simulates the runs of a forecast on all cores.
enum ForecastRunner {
  /// Simulates the runs. The result does not depend on the number of cores, because each simulated run depends only on
  /// its number.
  static func forecast(_ model: ForecastModel) async -> Forecast {
    let ranges = Forecast.blocks(of: model.options.runs)
    var blocks = [ForecastBlock?](repeating: nil, count: ranges.count)
    var progress = ForecastProgress(model.options.runs)
    await withTaskGroup(of: (Int, ForecastBlock).self) { group in
      for (index, range) in ranges.enumerated() { group.addTask { (index, ForecastBlock(model, range)) } }
      for await (index, block) in group {
        blocks[index] = block
        progress.add(ranges[index].count)
      }
    }
    return Forecast(model, blocks.compactMap { $0 })
  }
}

/// Shows the progress of a forecast on a terminal if the forecast takes longer than a second.
private struct ForecastProgress {
  private let runs: Int
  private var done = 0
  private let start = ContinuousClock.now
  private var lastTold = ContinuousClock.now

  init(_ runs: Int) { self.runs = runs }

  mutating func add(_ count: Int) {
    done += count
    let now = ContinuousClock.now
    guard StandardOutput.isErrorOnTerminal, now - lastTold > .seconds(1), done < runs else { return }
    lastTold = now
    let passed = Double((now - start).nanoseconds) / 1_000_000
    let rest = passed / Double(done) * Double(runs - done)
    StandardOutput.writeError("\(done) of \(runs.counted("run")), some \(Milliseconds.text(rest)) left\n")
  }
}
