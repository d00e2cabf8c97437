import FlowPluginHost
import FlowSyntax
import FlowSystem

/// An executor that a plugin provides. The plugin's manifest declares how to list the places where workers run, and the
/// command that starts a worker at each of them.
struct ExternalEngine {
  let plugin: InstalledPlugin
  let executor: PluginManifest.Executor
  let address: ExecutorAddress
  let environment: [String: String]

  /// The time limit for the plugin to list its places.
  private static let answerTime = Duration.seconds(60)
  /// The time limit for a worker's greeting after its start.
  private static let startTime = Duration.seconds(60)

  /// Returns the workers, one per place.
  func starts(_ worker: [String]) throws(ExecutorProblem) -> [WorkerStart] {
    let places = try places()
    return try places.map { (place) throws(ExecutorProblem) in
      WorkerStart(
        name: place.name, command: try words(executor.command, place: place.name, worker: worker),
        environment: environment, slots: place.count, startLimit: Self.startTime)
    }
  }

  /// Replaces `{value}` and `{place}` by their values, the word `{worker}` by the worker's command line, and the word
  /// `{worker-line}` by that command line as shell text.
  private func words(
    _ template: [String], place: String?, worker: [String]
  ) throws(ExecutorProblem) -> [String] {
    var result: [String] = []
    for word in template {
      if word == "{worker}" {
        result += worker
        continue
      }
      var text = word
      if text == "{worker-line}" { text = worker.map(Self.quoted).joined(separator: " ") }
      text = Self.replacing("{value}", in: text, by: value)
      if let place { text = Self.replacing("{place}", in: text, by: place) }
      // The name of a file in the plugin's folder is replaced by its path, as it is for a plugin's program.
      if FilePath.isFile(plugin.folder + "/" + text) { text = plugin.folder + "/" + text }
      result.append(text)
    }
    return result
  }

  /// The text after `--on NAME=`. If it is the path of a file, it is made absolute, because the plugin's programs run
  /// in its folder.
  private var value: String {
    let value = address.value ?? ""
    return !value.isEmpty && FilePath.isFile(value) ? FilePath.absolute(value) : value
  }

  private static func replacing(_ mark: String, in text: String, by value: String) -> String {
    text.split(separator: mark, omittingEmptySubsequences: false).joined(separator: value)
  }

  private static func quoted(_ word: String) -> String {
    "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }

  /// Returns the places that the plugin's command `places` prints. Each line has the name of a place and its number of
  /// slots, which is 1 if it is missing. Lines that begin with `#` are ignored.
  private func places() throws(ExecutorProblem) -> [(name: String, count: Int)] {
    let words = try words(executor.places, place: nil, worker: [])
    let answer: FinishedProgram
    do throws(SystemError) {
      answer = try FinishedProgram(
        PluginCommand(words, environment: environment), directory: plugin.folder, deadline: .now + Self.answerTime)
    } catch {
      throw ExecutorProblem("'\(plugin.name)' failed to list its workers: \(error)")
    }
    let lines = answer.output.split(separator: "\n").map(String.init)
    guard case .exited(code: 0) = answer.status else {
      throw ExecutorProblem(
        "'\(plugin.name)' failed to list its workers: \(lines.last ?? "'\(words[0])' \(answer.status)")")
    }
    var places: [(name: String, count: Int)] = []
    for line in lines {
      let parts = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
      guard let name = parts.first, !name.hasPrefix("#") else { continue }
      let count = parts.count > 1 ? Int(parts[1]) : 1
      guard parts.count <= 2, let count, (1...ExecutorAddress.mostSlots).contains(count), !name.hasPrefix("-") else {
        throw ExecutorProblem(
          "'\(plugin.name)' names the place '\(line)'; expected a name and a number of steps from 1 to "
            + "\(ExecutorAddress.mostSlots)")
      }
      places.append((name, count))
    }
    guard !places.isEmpty else {
      throw ExecutorProblem("'\(address.text)' has no places", isUsage: true)
    }
    return places
  }
}
