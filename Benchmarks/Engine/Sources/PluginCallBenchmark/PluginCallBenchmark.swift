import FlowCLI
import FlowModel
import FlowPluginHost
import FlowPluginKit
import FlowTestKit
import Foundation

/// Compares a plugin call with a bare round trip in the same language. The call goes through the plugin host to a child
/// process that keeps running. The round trip writes the same line to ``BareProgram``, the program that an author would
/// write without flowrun, and reads the same answer.
///
/// For developers of the host, the time of a bare round trip to the plugin's own program is also printed. The
/// difference between it and a call is the cost of the host.
///
/// Usage: `PluginCallBenchmark [CALLS] [LANGUAGE…] [--json]`
@main
struct PluginCallBenchmark {
  /// The limit for the ratio of a call to a bare round trip.
  static let bar = 1.3
  private static let rounds = 9

  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    let calls = arguments.compactMap { Int($0) }.first ?? 10_000
    let folder = FileManager.default.temporaryDirectory.appending(path: "flowrun-benchmark-\(getpid())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let isJSON = arguments.contains("--json")
    var rows: [Row] = []
    let named = PluginTemplate.Language.allCases.filter { arguments.contains($0.rawValue) }
    for language in named.isEmpty ? PluginTemplate.Language.allCases : named {
      // Like steps, the measurement runs outside the main actor. Otherwise each call would include switching to the
      // main actor and back.
      let row = try await Task.detached { try await measure(language, calls: calls, in: folder) }.value
      if !isJSON { print(row.text) }
      rows.append(row)
    }
    if isJSON {
      print(JSONText.write(.array(rows.map(\.value)), layout: .indented))
    }
  }

  private static func measure(
    _ language: PluginTemplate.Language, calls: Int, in folder: String
  ) async throws -> Row {
    let plugin = try EchoPlugin(language, in: folder)
    let cache = folder + "/cache-" + language.rawValue
    let host = PluginHost(cacheFolder: cache)
    let call = try plugin.call(through: host)
    try await call()
    let bare = try BarePipe(try BareProgram(language, in: folder).command, folder: plugin.folder)
    let own = try BarePipe(
      plugin.command(cache: cache), folder: plugin.folder, environment: plugin.environment(cache: cache))
    for _ in 0..<500 {
      try await call()
      try bare.roundTrip()
      try own.roundTrip()
    }
    let before = Usage.now
    var hostTimes: [Double] = []
    var bareTimes: [Double] = []
    var ownTimes: [Double] = []
    // The measurements alternate, so that disturbances affect all of them, and the least disturbed round of each
    // counts. A round trip may take twice as long for seconds, depending on the core on which the system wakes a
    // process.
    for _ in 0..<rounds {
      bareTimes.append(try time(calls / rounds) { try bare.roundTrip() })
      ownTimes.append(try time(calls / rounds) { try own.roundTrip() })
      hostTimes.append(try await time(calls / rounds) { try await call() })
    }
    let after = Usage.now
    await host.close()
    return Row(
      language: language.rawValue, bareMicroseconds: bareTimes.min()!,
      ownMicroseconds: ownTimes.min()!, hostMicroseconds: hostTimes.min()!,
      calls: calls / rounds * rounds,
      grownKilobytes: after.residentKilobytes - before.residentKilobytes,
      grownDescriptors: after.descriptors - before.descriptors)
  }

  private static func time(_ count: Int, _ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    for _ in 0..<count { try body() }
    return Double((ContinuousClock.now - start).nanoseconds) / 1000 / Double(count)
  }

  private static func time(_ count: Int, _ body: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    for _ in 0..<count { try await body() }
    return Double((ContinuousClock.now - start).nanoseconds) / 1000 / Double(count)
  }
}

/// The results of one language.
struct Row {
  let language: String
  let bareMicroseconds: Double
  let ownMicroseconds: Double
  let hostMicroseconds: Double
  let calls: Int
  let grownKilobytes: Int
  let grownDescriptors: Int

  var ratio: Double { hostMicroseconds / bareMicroseconds }

  var text: String {
    let figures = String(
      format:
        "bare %6.1f µs   call %6.1f µs   ratio %.2f   (its program bare %6.1f µs)   %d calls: %+d KiB, %+d descriptors",
      bareMicroseconds, hostMicroseconds, ratio, ownMicroseconds, calls, grownKilobytes, grownDescriptors)
    return language.padding(toLength: 8, withPad: " ", startingAt: 0) + figures
      + (ratio <= PluginCallBenchmark.bar ? "" : "   over the bar of \(PluginCallBenchmark.bar)")
  }

  var value: Value {
    [
      "language": .string(language), "bareMicroseconds": .number(bareMicroseconds),
      "ownProgramMicroseconds": .number(ownMicroseconds),
      "callMicroseconds": .number(hostMicroseconds), "ratio": .number(ratio), "calls": .integer(calls),
      "grownKilobytes": .integer(grownKilobytes), "grownDescriptors": .integer(grownDescriptors),
    ]
  }
}

/// A new plugin in one language. Its log line is removed, so that a call is one line in each direction. In sh, its
/// action is declared as `quick` and does not create a process for each call, because the handwritten loop creates
/// none.
struct EchoPlugin {
  let folder: String
  private let installed: InstalledPlugin

  init(_ language: PluginTemplate.Language, in parent: String) throws {
    let template = PluginTemplate(name: "echo-\(language.rawValue)", language: language)!
    folder = parent + "/" + template.name
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, text) in template.files {
      let quiet = text.split(separator: "\n", omittingEmptySubsequences: false)
        .filter { !$0.contains("saying it louder") }.joined(separator: "\n")
      try quiet.replacing("action \(template.name).text", with: "quick \(template.name).text").write(
        toFile: folder + "/" + name, atomically: true, encoding: .utf8)
    }
    installed = try PluginFinder.read(folder).get()
  }

  /// Returns a function that calls the plugin's action as an engine does.
  func call(through host: PluginHost) throws -> () async throws -> Void {
    let action = host.actions(of: installed)[0]
    guard case .asynchronous(let body) = action.body else { preconditionFailure("no service") }
    let context = TestHost().context()
    return { _ = try await body(["text": "hello"], context) }
  }

  /// Returns the command that starts the plugin's program. `cache` is the host's folder for compiled programs.
  func command(cache: String) -> [String] {
    if case .command(let words) = installed.manifest.program { return words }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: cache)) ?? []
    return names.filter { $0.hasPrefix("echo-") && !$0.hasSuffix(".build") }.map { "\(cache)/\($0)" }
  }

  /// Returns the environment variables set by the host, with which the program finds its support files.
  func environment(cache: String) -> [String: String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: cache)) ?? []
    guard let files = names.first(where: { $0.hasPrefix("FlowFiles-") }).map({ "\(cache)/\($0)" }) else { return [:] }
    return ["PYTHONPATH": files, "NODE_PATH": files, "FLOWRUN_PLUGIN_SH": "\(files)/flowrun-plugin.sh"]
  }
}

/// The memory and the descriptors that this process uses.
struct Usage {
  let residentKilobytes: Int
  let descriptors: Int

  static var now: Usage {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    return Usage(residentKilobytes: Int(line.filter(\.isNumber)) ?? 0, descriptors: descriptors)
  }
}
