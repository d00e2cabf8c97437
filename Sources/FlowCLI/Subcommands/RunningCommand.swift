/// A subcommand that runs a workflow and writes the outputs that its options name.
protocol RunningCommand {
  /// Removes the outputs of an earlier run if the process ends before its run starts; nil if the options ask for no run.
  var discard: (@Sendable () -> Void)? { get }
}

extension RunCommand: RunningCommand {
  var discard: (@Sendable () -> Void)? {
    // With --watch, each run is a process with the same options.
    if explain || watch { return nil }
    let outputs = output.outputs
    return { outputs.removeOldOutputs() }
  }
}

extension ResumeCommand: RunningCommand {
  var discard: (@Sendable () -> Void)? {
    if dryRun { return nil }
    let outputs = output.outputs
    return { outputs.removeOldOutputs() }
  }
}
