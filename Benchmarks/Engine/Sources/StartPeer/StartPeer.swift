import FlowCLI

/// Links the libraries of `flowrun`, as SwiftPM does it, and prints one line: what a start costs before there is a workflow.
@main
enum StartPeer {
  static func main() { print("started") }
}
