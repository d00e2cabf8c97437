import FlowCLI

@main
enum Flowrun {
  static func main() { FlowCommand.start() }
}
