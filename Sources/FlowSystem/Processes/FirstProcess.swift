import CFlowProcess

/// Reaps orphaned processes if this is the first process of a container or namespace. The system makes that process the
/// parent of orphans.
///
/// A program that waits for its own children cannot reap other processes without interfering with them. The first
/// process therefore starts the program again as its child, passes signals on to it, and ends with the same status.
package enum FirstProcess {
  /// Returns immediately if this is not the first process. Call it before anything else, while the process has a single
  /// thread.
  package static func collectOrphans() { flow_collect_orphans(CommandLine.unsafeArgv) }
}
