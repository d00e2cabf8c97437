import Dispatch
import FlowModel
import FlowPluginKit

/// Runs workflows with the actions of its registry. An app has one; it holds no state of runs.
public struct Engine: Sendable {
  /// The actions it can run.
  public let registry: ActionRegistry

  /// An engine with these actions.
  public init(registry: ActionRegistry) { self.registry = registry }

  /// An engine with these plugins, which must differ in name.
  public init(plugins: [any Plugin]) { self.init(registry: ActionRegistry(plugins)) }

  /// Starts a run. Throws a ``PreparedWorkflow/Problem`` when an action is missing or an expression is wrong.
  public func start(_ graph: WorkflowGraph, options: RunOptions) throws(PreparedWorkflow.Problem) -> WorkflowRun {
    try start(PreparedWorkflow(graph, registry: registry), options: options)
  }

  /// Starts a run of a prepared workflow.
  public func start(
    _ prepared: PreparedWorkflow, options: RunOptions
  ) throws(PreparedWorkflow.Problem) -> WorkflowRun {
    var options = options
    options.launch.isFirst = !DataFolder(opened: options.dataFolder).hasLaunched
    let run = WorkflowRun(prepared, options: options, runID: RunInformation.newID())
    try run.start()
    return run
  }
}

extension RunInformation {
  /// A fresh id: a UUID of version 4 (RFC 9562) in lower case.
  static func newID() -> String {
    var generator = SystemRandomNumberGenerator()
    let high = generator.next() & ~0xF000 | 0x4000
    let low = generator.next() & ~(0b11 << 62) | (0b10 << 62)
    return String(unsafeUninitializedCapacity: 36) { text in
      var place = 0
      for digit in 0..<32 {
        if digit >= 8, digit <= 20, digit % 4 == 0 {
          text[place] = UInt8(ascii: "-")
          place += 1
        }
        let value = UInt8(truncatingIfNeeded: (digit < 16 ? high : low) >> UInt64(60 - digit % 16 * 4)) & 0xF
        text[place] = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
        place += 1
      }
      return place
    }
  }
}
