import ArgumentParser
import FlowStore
import FlowSystem

/// `flowrun logs RUN`: everything that the steps of a run printed.
struct LogsCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "logs", abstract: "Prints what the steps of a run printed.")

  @Argument(help: "The run; default: the last.")
  var run = "last"

  @Flag(name: .shortAndLong, help: "Goes on until the run has ended.")
  var follow = false

  @Option(help: "Only this step.")
  var step: String?

  @OptionGroup var place: RunPlace

  /// How often a run that goes on is looked at.
  private static let lookMicroseconds: useconds_t = 200_000

  func perform() async throws {
    let store = try RunMemory.open(place.place)
    let found = try RunReference.find(run, in: try store.runs(RunFilter()))
    let style = TextStyle(isColored: StandardOutput.allowsColor)
    var shown = 0
    while true {
      // How it stands is asked first: what is written between is then among the chunks.
      let goesOn = try store.runs(RunFilter()).first { $0.id == found.id }?.state == .running
      let chunks = try store.chunks(of: found.id)
      StandardOutput.write(RunLog(chunks: Array(chunks[min(shown, chunks.count)...]), step: step, style: style).text)
      shown = chunks.count
      guard follow, goesOn, !StandardOutput.isLost else { return }
      usleep(Self.lookMicroseconds)
    }
  }
}
