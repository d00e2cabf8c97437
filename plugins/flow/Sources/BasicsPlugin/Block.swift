import FlowModel
import FlowPluginKit
import FlowPlatform

/// Blocks its thread and ignores cancellation, like a step that waits for a slow disk. Used in tests and measurements.
struct Block: Action {
  static let name = "flow.block"
  static let summary = "Holds a thread in a blocking call and ignores cancellation, for tests and measurements"
  static let isPortable = true
  static let example = """
    uses: flow.block
    with: { for: 10ms }
    """

  struct Input: ActionInput {
    @Field("How long to hold the thread") var `for`: Duration
  }

  func run(_ input: Input, in context: ActionContext) -> NoOutput {
    let (seconds, nanoseconds) = input.for.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    var request = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
    var rest = timespec()
    // A signal interrupts the call, which then returns the remaining time.
    while nanosleep(&request, &rest) != 0 && errno == EINTR { request = rest }
    return NoOutput()
  }
}
