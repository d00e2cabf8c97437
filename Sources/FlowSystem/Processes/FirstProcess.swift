import CFlowProcess

/// The duty of the first process of a container or a namespace: to reap orphaned processes, whose parent it becomes.
///
/// A program that waits for its own children cannot do that without intercepting their ends. So the first process
/// starts the program again as its child, passes signals on to it and ends with the same status.
package enum FirstProcess {
  /// Returns if this is not the first process. Must be called before anything else, while the process has one thread.
  package static func collectOrphans() { flow_collect_orphans(CommandLine.unsafeArgv) }
}
