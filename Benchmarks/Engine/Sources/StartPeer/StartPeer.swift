import FlowCLI

/// Links the libraries of `flowrun` as SwiftPM does, and prints one line, to measure the cost of a start without a
/// workflow.
@main
enum StartPeer {
  static func main() { print("started") }
}
