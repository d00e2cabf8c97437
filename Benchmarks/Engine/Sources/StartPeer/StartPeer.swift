import FlowCLI

/// Links what `flowrun` links, the same way, and prints one line: what a start costs before there is a workflow.
@main
enum StartPeer {
  static func main() { print("started") }
}
