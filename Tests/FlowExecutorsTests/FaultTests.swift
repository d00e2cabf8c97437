import Foundation
import TestSupport
import Testing

/// Kills or freezes workers, coordinators and databases at random. `FLOWRUN_LONG_TESTS=1` runs the required number of
/// faults. A takeover has to wait until a lease expires, so tests of takeovers with databases belong to the release
/// tests.
@Suite(.serialized, .timeLimit(.minutes(30))) struct FaultTests {
  private static let isLong = FaultScene.isLong
  private let steps = isLong ? 300 : 60

  @Test func `random kills of workers change neither the results of steps nor their order`() throws {
    let scene = try FaultScene("killed workers", steps: steps, isDurable: false, bodySeconds: Self.isLong ? 0.4 : 0.1)
    let process = try scene.start(["flow.yaml", "--on", "workers=4"])
    #expect(process.waitForOutput("s0 started"))
    let wanted = Self.isLong ? 50 : 8
    var kills = 0
    while !process.hasEnded, kills < wanted {
      scene.pause(100...400)
      if let worker = try scene.workers().randomElement(using: &scene.random) {
        kill(worker, kills % 4 == 3 ? SIGTERM : SIGKILL)
        kills += 1
      }
    }
    try scene.check(process.result(limitSeconds: 300))
    #expect(Self.isLong ? kills == wanted : kills > 0)
  }

  @Test(.enabled(if: isLong)) func `frozen workers are replaced within the default time limits`() throws {
    let scene = try FaultScene("stopped workers", steps: 160, isDurable: false, bodySeconds: 1)
    let process = try scene.start(["flow.yaml", "--on", "workers=4"])
    #expect(process.waitForOutput("s0 started"))
    for _ in 0..<5 where !process.hasEnded {
      scene.pause(100...400)
      guard let worker = try scene.workers().randomElement(using: &scene.random) else { continue }
      kill(worker, SIGSTOP)
      let start = ContinuousClock.now
      #expect(within(seconds: 30) { kill(worker, 0) != 0 })
      print("a stopped worker was gone after \(ContinuousClock.now - start)")
    }
    try scene.check(process.result(limitSeconds: 300))
  }

  @Test func `a coordinator that takes over from a killed one does not repeat steps with a stored result`() throws {
    // Each coordinator runs a few more steps before it is killed.
    let scene = try FaultScene(
      "killed coordinators", steps: steps, isDurable: true, bodySeconds: Self.isLong ? 0.2 : 0.1)
    var arguments = ["flow.yaml", "--on", "workers=4"]
    let wanted = TestExtent.count(usual: 1, release: 2, long: 50)
    for round in 0..<wanted {
      let process = try scene.start(arguments)
      #expect(process.waitForOutput(" started on workers", limitSeconds: 60))
      scene.pause(50...500)
      try #require(!process.hasEnded, "seed \(scene.seed): the run was over after \(round) coordinators")
      process.send(SIGKILL)
      _ = process.result(limitSeconds: 20)
      try scene.noteRecorded()
      arguments = ["resume", "last", "--on", "workers=4"]
    }
    try scene.check(scene.start(arguments).result(limitSeconds: 300))
  }

  @Test(arguments: [false, true])
  func `no process of a run is left 15 s after its flowrun processes were killed or frozen`(standsStill: Bool) throws {
    let scene = try FaultScene("everything killed", steps: 8, isDurable: false, bodySeconds: 100)
    let process = try scene.start(["flow.yaml", "--on", "workers=4"])
    #expect(within(seconds: 30) { scene.lines("bodies").count == 4 })
    if standsStill { for worker in try scene.workers() { kill(worker, SIGSTOP) } }
    let guards = try Shell.run("pgrep -f -- 'worker --watch' || true").output.split(separator: "\n")
    for worker in try scene.workers() {
      for number in guards {
        let parent = try Shell.run("ps -o ppid= -p \(number) || true").output
        if parent.trimmingCharacters(in: .whitespacesAndNewlines) == "\(worker)" {
          _ = kill(try #require(Int32(number)), SIGKILL)
        }
      }
      if !standsStill { kill(worker, SIGKILL) }
    }
    process.send(SIGKILL)
    _ = process.result(limitSeconds: 20)
    var left: [Int32] = []
    _ = try within(seconds: 15) {
      left = try scene.processes("")
      return left.isEmpty
    }
    #expect(left == [])
  }

  #if Network
    @Test(.enabled(if: TestExtent.isFull))
    func `several coordinators with a shared store replace one another, even if the database is killed`()
      throws
    {
      let scene = try FaultScene("killed databases", steps: steps, isDurable: true)
      let database = try Database()
      let store = ["--store", "postgresql:///postgres?host=\(database.folder)/socket&user=sync"]
      let rounds = Self.isLong ? 5 : 1
      var process = try scene.start(["flow.yaml", "--on", "workers=4"] + store)
      defer { process.send(SIGKILL) }
      for _ in 0..<rounds {
        #expect(process.waitForOutput(" started on workers", limitSeconds: 90))
        let next = try scene.start(["resume", "last", "--wait", "--on", "workers=4"] + store)
        #expect(within(seconds: 30) { next.errorsSoFar.contains("waiting") })
        try database.kill()
        try database.start()
        scene.pause(100...600)
        process.send(SIGKILL)
        _ = process.result(limitSeconds: 20)
        try scene.noteRecorded(store)
        process = next
      }
      try scene.check(process.result(limitSeconds: 300), store)
    }

    @Test(.enabled(if: TestExtent.isFull), arguments: [false, true])
    func `a promoted standby database has all stored results, and the run continues with it`(
      isCoordinatorKilled: Bool
    ) throws {
      let scene = try FaultScene("a promoted standby", steps: steps, isDurable: true)
      let primary = try Database()
      let standby = try Database(following: primary)
      let store = [
        "--store",
        "postgresql:///postgres?host=\(primary.folder)/socket,\(standby.folder)/socket&user=sync"
          + "&target_session_attrs=read-write",
      ]
      let process = try scene.start(["flow.yaml", "--on", "workers=4"] + store)
      defer { process.send(SIGKILL) }
      #expect(process.waitForOutput(" started on workers", limitSeconds: 90))
      let next = try scene.start(["resume", "last", "--wait", "--on", "workers=4"] + store)
      defer { next.send(SIGKILL) }
      #expect(within(seconds: 30) { next.errorsSoFar.contains("waiting") })
      scene.pause(100...600)
      try scene.noteRecorded(store)
      try primary.kill()
      scene.pause(0...500)
      if isCoordinatorKilled {
        process.send(SIGKILL)
        _ = process.result(limitSeconds: 20)
      }
      try standby.promote()
      // The new primary database has all results that were stored.
      try scene.noteRecorded(store)
      if !isCoordinatorKilled {
        let result = process.result(limitSeconds: 300)
        #expect(result.exitCode == 0, "seed \(scene.seed): \(result.output.suffix(3000)) \(result.errors)")
        #expect(!result.errors.contains("synchronous_standby_names"), "\(result.errors)")
      }
      try scene.check(next.result(limitSeconds: 300), store)
    }

    @Test(.enabled(if: TestExtent.isFull))
    func `a coordinator that was frozen for longer than its lease stops and reports the takeover`() throws {
      let scene = try FaultScene("stopped coordinators", steps: steps, isDurable: true)
      let database = try Database()
      let store = ["--store", "postgresql:///postgres?host=\(database.folder)/socket&user=sync"]
      var process = try scene.start(["flow.yaml", "--on", "workers=4"] + store)
      defer { process.send(SIGKILL) }
      for _ in 0..<(Self.isLong ? 5 : 1) {
        #expect(process.waitForOutput(" started on workers", limitSeconds: 90))
        let next = try scene.start(["resume", "last", "--wait", "--on", "workers=4"] + store)
        #expect(within(seconds: 30) { next.errorsSoFar.contains("waiting") })
        scene.pause(0...400)
        process.send(SIGSTOP)
        try scene.noteRecorded(store)
        // The lease of the frozen coordinator expires after 20 s. Its workers have ended long before.
        #expect(next.waitForOutput(" started on workers", limitSeconds: 120))
        process.send(SIGCONT)
        let fenced = process.result(limitSeconds: 60)
        #expect(fenced.exitCode == 1, "seed \(scene.seed): \(fenced.output.suffix(2000)) \(fenced.errors)")
        #expect(fenced.output.contains("was taken over by another process"), "seed \(scene.seed): \(fenced.errors)")
        process = next
      }
      try scene.check(process.result(limitSeconds: 300), store)
    }
  #endif
}
