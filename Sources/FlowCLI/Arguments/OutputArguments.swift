import ArgumentParser

/// Options of all subcommands that run a workflow, for their output.
struct OutputArguments: ParsableArguments {
  @Flag(help: "Prints one JSON object per event instead of text.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "Writes the report to this file, as JSON, or as a page if its name ends with .html.", valueName: "FILE"))
  var report: [String] = []

  @Option(help: ArgumentHelp("Writes a Chrome trace to this file.", valueName: "FILE"))
  var trace: [String] = []

  @Option(help: ArgumentHelp("Writes a JUnit report to this file, with a test case for each step.", valueName: "FILE"))
  var junit: [String] = []

  @OptionGroup var findings: FindingArguments

  @Option(
    help: ArgumentHelp(
      "Sends the run as an OpenTelemetry trace to this collector, as http://HOST:4318; never delays or fails the run.",
      valueName: "URL"))
  var otlp: [String] = []

  @Flag(help: "Hides the output of commands; a failed step still shows its last lines.")
  var quiet = false

  @Flag(
    help:
      "Also shows each start with its queue, and at the end the critical path and estimates that were exceeded; on a terminal as lines with times."
  )
  var verbose = false

  @Option(
    help: ArgumentHelp(
      "The times in front of lines: wall for the time of day (the default), elapsed for milliseconds since activation.",
      valueName: "TIMES"))
  var times = LineTimes.wall

  @Flag(help: "Exits 124 when the gate timed out.")
  var strict = false

  var outputs: RunOutputs {
    RunOutputs(reports: report, traces: trace, junits: junit, findings: findings.outputs, otlps: otlp)
  }
}

/// Options that report problems together with their line in the workflow file.
struct FindingArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Marks the lines of problems in GitHub Actions (github), and adds a summary of a run to the job's page.",
      valueName: "SYSTEM"))
  var annotations: AnnotationSystem?

  @Option(help: ArgumentHelp("Writes problems to this file as a code quality report for GitLab.", valueName: "FILE"))
  var codeQuality: [String] = []

  var outputs: FindingOutputs { FindingOutputs(annotations: annotations, codeQuality: codeQuality) }
}

extension AnnotationSystem: ExpressibleByArgument {}
extension LineTimes: ExpressibleByArgument {}
