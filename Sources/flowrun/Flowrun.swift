import FlowCLI

@main
enum Flowrun {
  static func main() async {
    await FlowCommand.start()
  }
}
