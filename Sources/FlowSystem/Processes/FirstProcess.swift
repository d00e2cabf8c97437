import CFlowProcess

/// What the first process of a container or of a namespace must do: collect the processes whose parents have ended, of which it
/// becomes the parent.
///
/// A program that waits for children of its own cannot do that without taking their ends away. So the first process starts the
/// program again as its child, passes signals on to it and ends as it ends.
package enum FirstProcess {
  /// Returns if this is not the first process. To be called before anything else, while the process has one thread.
  package static func collectOrphans() { flow_collect_orphans(CommandLine.unsafeArgv) }
}
