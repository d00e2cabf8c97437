import Stopwatch

/// Runs the launch of launch.yaml, written as Swift tasks.
@main enum Main {
  static func main() async {
    let stopwatch = Stopwatch()
    stopwatch.finish(await HandWrittenLaunch.gate())
  }
}
