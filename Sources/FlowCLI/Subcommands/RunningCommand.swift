/// A subcommand that runs a workflow and writes the outputs that options name.
protocol RunningCommand {
  /// Removes the outputs of an earlier run if the process ends before its own run starts. Nil if the options do not
  /// request a run.
  var discard: (@Sendable () -> Void)? { get }
}

extension RunCommand: RunningCommand {
  var discard: (@Sendable () -> Void)? {
    // With --watch, each run is a separate process with the same options and removes old outputs itself.
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
