import ArgumentParser

/// What a run tells and writes, for the verbs that run one.
struct OutputArguments: ParsableArguments {
  @Flag(help: "Prints one JSON object an event instead of text.")
  var json = false

  @Option(help: "Writes the report to this file, as JSON, or as a page where its name ends with .html.")
  var report: String?

  @Option(help: "Writes a Chrome trace to this file.")
  var trace: String?

  @Flag(help: "Keeps what commands and programs write out of the output; a failed step still quotes the last lines.")
  var quiet = false

  @Flag(help: "Exits 124 when the gate timed out.")
  var strict = false
}
