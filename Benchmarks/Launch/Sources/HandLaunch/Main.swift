import Stopwatch

/// Runs a launch with the same steps as Swift tasks.
@main enum Main {
  static func main() async {
    let stopwatch = Stopwatch()
    stopwatch.finish(await HandWrittenLaunch.gate())
  }
}
