import FlowCLI

/// Links the same libraries as `flowrun` and prints one line. It measures the cost of starting a process without a
/// workflow.
@main
enum StartPeer {
  static func main() { print("started") }
}
