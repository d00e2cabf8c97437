import FlowCLI

/// Links the same libraries as `flowrun` and prints one line. The time that it takes is the cost of starting a process
/// without a workflow.
@main
enum StartPeer {
  static func main() { print("started") }
}
