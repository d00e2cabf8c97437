import FlowModel
import Foundation
import TestSupport
import Testing

/// Workers and coordinators that are killed at random moments. Each body holds a lock for as long as anything of it runs, so
/// that two bodies of one step cannot be there at once unseen.
@Suite(.serialized, .timeLimit(.minutes(20))) struct FaultTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/flowrun-faults-\(UUID().uuidString)"
  private static let isLong = ProcessInfo.processInfo.environment["FLOWRUN_LONG_TESTS"] != nil
  private let steps = isLong ? 300 : 60

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

  private func write(isDurable: Bool) throws {
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
      sleep 0.1
      echo "$FLOWRUN_STEP" >> done
      """
    try body.write(toFile: "\(folder)/body", atomically: true, encoding: .utf8)
  }

  private func lines(_ name: String) -> [String] {
    let text = try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    return text?.split(separator: "\n").map(String.init) ?? []
  }

  /// The workers of this test, by the folder that they work in.
  private func workers() throws -> [Int32] {
    let (_, output) = try Shell.run(
      "for p in $(pgrep -f 'worker --stdio'); do [ \"$(readlink /proc/$p/cwd)\" = '\(folder)' ] && echo $p; done; true")
    return output.split(separator: "\n").compactMap { Int32($0) }
  }

  @Test func `workers that are killed at random cost no result and no order`() throws {
    try write(isDurable: false)
    let process = try FlowrunProcess(
      ["flow.yaml", "--on", "workers=4", "--report", "report.json"], in: folder)
    #expect(process.waitForOutput("s0 started"))
    var random = SystemRandomNumberGenerator()
    var kills = 0
    while !process.hasEnded, kills < (Self.isLong ? 50 : 8) {
      usleep(UInt32.random(in: 100_000...400_000, using: &random))
      if let worker = try workers().randomElement(using: &random) {
        kill(worker, kills % 4 == 3 ? SIGTERM : SIGKILL)
        kills += 1
      }
    }
    let result = process.result(limitSeconds: 300)
    #expect(result.exitCode == 0, "\(result.output.suffix(3000)) \(result.errors)")
    #expect(lines("overlaps") == [])
    #expect(Set(lines("done")).count == steps)
    try FileManager.default.removeItem(atPath: folder)
  }

  @Test func `a coordinator that is killed is followed by one that repeats nothing recorded`() throws {
    try write(isDurable: true)
    var arguments = ["flow.yaml", "--on", "workers=4"]
    for _ in 0..<(Self.isLong ? 50 : 2) {
      let process = try FlowrunProcess(arguments, in: folder)
      #expect(process.waitForOutput(" started on workers", limitSeconds: 60))
      usleep(UInt32.random(in: 200_000...900_000))
      process.send(SIGKILL)
      _ = process.result(limitSeconds: 20)
      try noteRecorded()
      arguments = ["resume", "--on", "workers=4"]
    }
    let result = try FlowrunProcess.run(arguments, in: folder, limitSeconds: 300)
    #expect(result.exitCode == 0, "\(result.output.suffix(3000)) \(result.errors)")
    #expect(lines("overlaps") == [])
    #expect(lines("repeated") == [])
    #expect(Set(lines("done")).count == steps)
    try FileManager.default.removeItem(atPath: folder)
  }

  /// What the newest run has recorded must not begin again.
  private func noteRecorded(_ store: [String] = []) throws {
    let kept = try FlowrunProcess.run(["resume", "last", "--dry-run"] + store, in: folder)
    for line in kept.lines where line.hasPrefix("kept: ") {
      for name in line.dropFirst(6).split(separator: ",") {
        let step = name.trimmingCharacters(in: .whitespaces)
        _ = FileManager.default.createFile(atPath: "\(folder)/recorded-\(step)", contents: nil)
      }
    }
  }

  #if Network
    @Test func `with a store that several see one after the other takes over, through the death of the database`()
      throws
    {
      try write(isDurable: true)
      let database = try Database()
      let store = ["--store", "postgresql:///postgres?host=\(database.folder)/socket&user=sync"]
      let rounds = Self.isLong ? 5 : 1
      var process = try FlowrunProcess(["flow.yaml", "--on", "workers=4"] + store, in: folder)
      defer { process.send(SIGKILL) }
      for _ in 0..<rounds {
        #expect(process.waitForOutput(" started on workers", limitSeconds: 90))
        let next = try FlowrunProcess(["resume", "last", "--wait", "--on", "workers=4"] + store, in: folder)
        #expect(within(seconds: 30) { next.errorsSoFar.contains("waiting") })
        try database.kill()
        try database.start()
        usleep(UInt32.random(in: 100_000...600_000))
        process.send(SIGKILL)
        _ = process.result(limitSeconds: 20)
        try noteRecorded(store)
        process = next
      }
      let result = process.result(limitSeconds: 300)
      #expect(result.exitCode == 0, "\(result.output.suffix(3000)) \(result.errors)")
      #expect(lines("overlaps") == [])
      #expect(lines("repeated") == [])
      #expect(Set(lines("done")).count == steps)
      try FileManager.default.removeItem(atPath: folder)
    }
  #endif
}
