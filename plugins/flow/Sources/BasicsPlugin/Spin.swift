import FlowModel
import FlowPluginKit

/// Keeps a processor busy and ignores cancellation, like a badly written step. Used in tests and measurements.
struct Spin: Action {
  static let name = "flow.spin"
  static let summary = "Burns a processor and ignores cancellation, for tests and measurements"
  static let isPortable = true
  static let example = """
    uses: flow.spin
    with: { for: 10ms }
    """

  struct Input: ActionInput {
    @Field("How long to keep the processor busy") var `for`: Duration
  }

  func run(_ input: Input, in context: ActionContext) -> NoOutput {
    let end = ContinuousClock.now + input.for
    while ContinuousClock.now < end {}
    return NoOutput()
  }
}
