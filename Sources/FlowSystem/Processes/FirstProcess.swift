import CFlowProcess

/// Reaps orphaned processes if this is the first process of a container or a namespace, which becomes their parent.
///
/// A program that waits for its own children cannot reap other processes without interfering with that. So the first
/// process starts the program again as its child, passes signals on to it and ends with the same status.
package enum FirstProcess {
  /// Returns if this is not the first process. Must be called before anything else, while the process has one thread.
  package static func collectOrphans() { flow_collect_orphans(CommandLine.unsafeArgv) }
}
