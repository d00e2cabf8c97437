import FlowModel
import FlowTestKit
import Foundation
import TestSupport
import Testing

/// A workflow of many short steps that record when they start and end. The records show whether a step ran twice at the
/// same time, or ran again after its result was stored.
///
/// Each step keeps a file locked as long as any of its processes is running. A killed step records no end, but the
/// system releases its lock.
final class FaultScene {
  /// True if the environment variable `FLOWRUN_LONG_TESTS` is set, which requests more faults and steps.
  static let isLong = ProcessInfo.processInfo.environment["FLOWRUN_LONG_TESTS"] != nil

  let folder = FileManager.default.temporaryDirectory.path + "/flowrun-faults-\(UUID().uuidString)"
  /// The seed of the random faults. It is printed, and `FLOWRUN_SEED` sets it.
  let seed: UInt64
  var random: SeededGenerator
  private let steps: Int
  private let environment: [String: String]
  /// The stored results at the time of the last check, by step.
  private var recorded: [String: String] = [:]

  /// - Parameters:
  ///   - name: The name that is printed with the seed.
  ///   - steps: The number of steps. Each of the first eight starts a chain.
  ///   - isDurable: True if no body may start before earlier results are on disk.
  ///   - bodySeconds: The duration of a body.
  ///   - environment: Additional variables for flowrun.
  init(
    _ name: String, steps: Int, isDurable: Bool, bodySeconds: Double = 0.1, environment: [String: String] = [:]
  ) throws {
    seed = SeededGenerator.environmentSeed ?? 7
    print("seed of \(name): \(seed)")
    random = SeededGenerator(seed: seed)
    self.steps = steps
    self.environment = environment
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var text =
      "name: faults\n\(isDurable ? "durable: true\n" : "")defaults: { retry: { attempts: 3, delay: 10ms } }\nsteps:\n"
    for step in 0..<steps {
      let needs = step >= 8 ? ", needs: s\(step - 8)" : ""
      text += "  s\(step): { uses: shell.run, with: { command: [sh, body] }\(needs) }\n"
    }
    try text.write(toFile: "\(folder)/flow.yaml", atomically: true, encoding: .utf8)
    let body = """
      exec 9>"lock-$FLOWRUN_STEP"
      flock -n 9 || echo "$FLOWRUN_STEP" >> overlaps
      [ ! -e "recorded-$FLOWRUN_STEP" ] || echo "$FLOWRUN_STEP" >> repeated
      name="$(cut -d ' ' -f 22 /proc/$$/stat)-$$"
      echo "start $FLOWRUN_STEP $name ${SLURMD_NODENAME:-}" >> bodies
      sleep \(bodySeconds)
      echo "end $FLOWRUN_STEP $name" >> bodies
      echo "$name"
      """
    try body.write(toFile: "\(folder)/body", atomically: true, encoding: .utf8)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Starts flowrun in the folder of the workflow.
  func start(_ arguments: [String]) throws -> FlowrunProcess {
    try FlowrunProcess(arguments + ["--verbose"], in: folder, environment: environment)
  }

  func pause(_ milliseconds: ClosedRange<UInt32>) {
    usleep(UInt32.random(in: milliseconds, using: &random) * 1000)
  }

  func lines(_ name: String) -> [String] {
    let text = try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    return text?.split(separator: "\n").map(String.init) ?? []
  }

  /// Returns the processes that run in the folder and whose arguments contain `text`.
  func processes(_ text: String) throws -> [Int32] {
    let (_, output) = try Shell.run(
      """
      for p in $(pgrep -f -- '\(text)'); do
        [ "$(readlink /proc/$p/cwd)" = '\(folder)' ] && grep -qv ') Z' /proc/$p/stat && echo $p
      done; true
      """)
    return ListedProcess.numbers(output)
  }

  /// Returns the worker processes of the run on this machine.
  func workers() throws -> [Int32] { try processes("worker --stdio") }

  /// Expects that the results in the newest run have not changed since the last check, and stores its current results.
  func noteRecorded(_ store: [String] = []) throws {
    for (step, result) in try results(store) {
      #expect(recorded[step, default: result] == result, "seed \(seed): \(step) was recorded twice")
      recorded[step] = result
      _ = FileManager.default.createFile(atPath: "\(folder)/recorded-\(step)", contents: nil)
    }
  }

  /// Returns the result of each step that has succeeded in the newest run. A result contains the id of the process that
  /// produced it.
  private func results(_ store: [String]) throws -> [String: String] {
    let exported = try FlowrunProcess.run(["runs", "export", "last"] + store, in: folder)
    #expect(exported.exitCode == 0, "seed \(seed): \(exported.errors)")
    let run = try JSONSerialization.jsonObject(with: Data(exported.output.utf8)) as? [String: Any]
    let outputs = try #require(run?["stepOutputs"] as? [String: [String: Any]])
    return outputs.compactMapValues { ($0["stdout"] as? String)?.trimmingCharacters(in: .whitespacesAndNewlines) }
  }

  /// Expects that the run succeeded, that each result comes from a completed step, and that no step ran twice at the
  /// same time.
  func check(_ result: FlowrunProcess.Result, _ store: [String] = []) throws {
    #expect(result.exitCode == 0, "seed \(seed): \(result.output.suffix(3000)) \(result.errors)")
    #expect(lines("overlaps") == [], "seed \(seed)")
    #expect(lines("repeated") == [], "seed \(seed)")
    try noteRecorded(store)
    #expect(recorded.count == steps, "seed \(seed)")
    var current: [String: String] = [:]
    var ended: [String: Set<String>] = [:]
    for line in lines("bodies") {
      let words = line.split(separator: " ").map(String.init)
      try #require(words.count >= 3, "seed \(seed): \(line)")
      if words[0] == "start" {
        current[words[1]] = words[2]
      } else {
        #expect(current[words[1]] == words[2], "seed \(seed): \(line) came after another body had started")
        ended[words[1], default: []].insert(words[2])
      }
    }
    for (step, body) in recorded {
      #expect(ended[step]?.contains(body) == true, "seed \(seed): \(step) has the result of \(body)")
    }
  }
}
