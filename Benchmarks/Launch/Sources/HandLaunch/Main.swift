import Stopwatch

/// Launches with the same steps as Swift's own tasks.
@main enum Main {
  static func main() async {
    let stopwatch = Stopwatch()
    stopwatch.finish(await HandWrittenLaunch.gate())
  }
}
