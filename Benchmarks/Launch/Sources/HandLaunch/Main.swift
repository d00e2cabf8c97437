import Stopwatch

/// Runs the launch with the same steps, written as Swift tasks.
@main enum Main {
  static func main() async {
    let stopwatch = Stopwatch()
    stopwatch.finish(await HandWrittenLaunch.gate())
  }
}
