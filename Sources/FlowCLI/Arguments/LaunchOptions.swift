import ArgumentParser
import FlowCommandKit

/// The options that describe a launch. `run` and `simulate` share them.
package struct LaunchOptions: ParsableArguments {
  @Option(
    name: [.customShort("i"), .customLong("input")],
    help: ArgumentHelp("An input: name=value, or name=@FILE for its content.", valueName: "NAME=VALUE"),
    completion: Completions.inputs)
  package var inputs: [String] = []

  @Option(
    help: ArgumentHelp(
      "Why the app was launched, one of user, url, notification, location, background, scene; REASON=@FILE adds options.",
      valueName: "REASON"),
    completion: Completions.reasons)
  package var launch: String?

  package init() {}
}
