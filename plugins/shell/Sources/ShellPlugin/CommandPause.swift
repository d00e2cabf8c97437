import FlowSystem

/// The events for which a command waits without a thread.
struct CommandPause: Sendable {
  /// The descriptors. One of them must become readable.
  var files: [CInt]
  /// The time limit, or nil if there is none.
  var time: Duration?
}
