import ArgumentParser

/// What a launch is given, whether it is run or played.
struct LaunchOptions: ParsableArguments {
  @Option(
    name: [.customShort("i"), .customLong("input")], help: "An input: name=value, or name=@FILE for its content.",
    completion: Completions.inputs)
  var inputs: [String] = []

  @Option(
    help:
      "Why the app was launched, one of user, url, notification, location, background, scene; REASON=@FILE adds options.",
    completion: Completions.reasons)
  var launch: String?
}
