import FlowSystem

/// The conditions that make a command continue after waiting without a thread.
struct CommandPause: Sendable {
  /// The descriptors. The command continues once one of them is readable.
  var files: [CInt]
  /// The longest time to wait, or nil to wait without a limit.
  var time: Duration?
}
