import ArgumentParser

/// What a run tells and writes, for the subcommands that run one.
struct OutputArguments: ParsableArguments {
  @Flag(help: "Prints one JSON object an event instead of text.")
  var json = false

  @Option(help: "Writes the report to this file, as JSON, or as a page where its name ends with .html.")
  var report: String?

  @Option(help: "Writes a Chrome trace to this file.")
  var trace: String?

  @Option(help: "Writes a JUnit report to this file, with a test case for each step.")
  var junit: String?

  @OptionGroup var findings: FindingArguments

  @Option(
    help:
      "Sends the run as an OpenTelemetry trace to this collector, as http://HOST:4318; never delays or fails the run.")
  var otlp: String?

  @Flag(help: "Keeps what commands and programs write out of the output; a failed step still quotes the last lines.")
  var quiet = false

  @Flag(
    help:
      "Also shows each start with its queue, on a terminal all output, and at the end the critical path and estimates that were exceeded."
  )
  var verbose = false

  @Flag(help: "Exits 124 when the gate timed out.")
  var strict = false

  /// Where the run is written.
  var outputs: RunOutputs {
    RunOutputs(report: report, trace: trace, junit: junit, findings: findings.outputs, otlp: otlp)
  }
}

/// Where problems are written that have a line in a workflow file.
struct FindingArguments: ParsableArguments {
  @Option(
    help: "Marks the lines of problems in GitHub Actions (github), and adds a summary of a run to the job's page.")
  var annotations: AnnotationSystem?

  @Option(help: "Writes problems to this file as a code quality report for GitLab.")
  var codeQuality: String?

  /// The same as values.
  var outputs: FindingOutputs { FindingOutputs(annotations: annotations, codeQuality: codeQuality) }
}

extension AnnotationSystem: ExpressibleByArgument {}
