import FlowSystem

/// The conditions under which a command that waits without a thread continues.
struct CommandPause: Sendable {
  /// The descriptors. The command continues once one of them is readable.
  var files: [CInt]
  /// The longest time to wait, or nil to wait without a limit.
  var time: Duration?
}
