import Foundation
import TestSupport
import Testing

/// Makes nodes of a real Slurm cluster fail or freeze.
@Suite(.serialized, .timeLimit(.minutes(20)), .enabled(if: SlurmCluster.isInstalled && TestExtent.isFull))
struct NodeFaultTests {
  private let cluster: SlurmCluster
  private let on = ["--on", "slurm=4,worker=\(FlowrunProcess.path)"]

  init() throws { cluster = try SlurmCluster() }

  @Test func `random failures of nodes change neither the results of steps nor their order`() throws {
    let scene = try FaultScene(
      "killed nodes", steps: FaultScene.isLong ? 300 : 60, isDurable: false,
      bodySeconds: FaultScene.isLong ? 0.4 : 0.1, environment: cluster.environment)
    let process = try scene.start(["flow.yaml"] + on)
    let wanted = FaultScene.isLong ? 5 : 1
    var kills = 0
    for _ in 0..<wanted where !process.hasEnded {
      let count = scene.lines("bodies").count
      #expect(within(seconds: 60) { scene.lines("bodies").count > count + 4 })
      scene.pause(0...800)
      let started = scene.lines("bodies").filter { $0.hasPrefix("start") }
      let node = try #require(started.last?.split(separator: " ").last.map { String($0) })
      try cluster.killNode(node)
      kills += 1
      scene.pause(0...3000)
      try cluster.startNode(node)
    }
    try scene.check(process.result(limitSeconds: 600))
    #expect(kills == wanted)
    #expect(try within(seconds: 15) { try cluster.ask("squeue -h").isEmpty })
  }

  private static func started(_ scene: FaultScene) -> [String] {
    scene.lines("bodies").filter { $0.hasPrefix("start") }
  }

  /// Waits until two bodies have started, and returns the step daemons on the node of the first one.
  private func stepDaemons(of scene: FaultScene) throws -> [Int32] {
    #expect(within(seconds: 30) { Self.started(scene).count == 2 })
    let node = try #require(Self.started(scene).first?.split(separator: " ").last.map { String($0) })
    let daemons = try cluster.stepDaemons(on: node)
    #expect(!daemons.isEmpty)
    return daemons
  }

  @Test func `a step whose Slurm daemon freezes runs again after all its processes have ended`() throws {
    let scene = try FaultScene(
      "a stopped step daemon", steps: 2, isDurable: false, bodySeconds: 14, environment: cluster.environment)
    let process = try scene.start(["flow.yaml"] + on)
    let daemons = try stepDaemons(of: scene)
    for daemon in daemons { kill(daemon, SIGSTOP) }
    // Slurm cannot end suspended processes, so they are continued after the test.
    defer { for daemon in daemons { kill(daemon, SIGCONT) } }
    let start = ContinuousClock.now
    #expect(within(seconds: 30) { Self.started(scene).count > 2 })
    print("the step behind a stopped step daemon ran again after \(ContinuousClock.now - start)")
    try scene.check(process.result(limitSeconds: 120))
  }

  @Test func `a step whose Slurm daemon is killed is delayed by only a few seconds`() throws {
    let scene = try FaultScene(
      "a killed step daemon", steps: 2, isDurable: false, bodySeconds: 4, environment: cluster.environment)
    let process = try scene.start(["flow.yaml"] + on)
    for daemon in try stepDaemons(of: scene) { kill(daemon, SIGKILL) }
    let start = ContinuousClock.now
    #expect(within(seconds: 30) { Self.started(scene).count > 2 })
    let time = ContinuousClock.now - start
    print("the step of a killed step daemon ran again after \(time)")
    #expect(time < .seconds(8))
    try scene.check(process.result(limitSeconds: 120))
  }

  @Test func `no Slurm job or process is left 15 s after every flowrun process and transport was killed`() throws {
    let scene = try FaultScene(
      "everything killed on Slurm", steps: 8, isDurable: false, bodySeconds: 100, environment: cluster.environment)
    let process = try scene.start(["flow.yaml"] + on)
    #expect(within(seconds: 30) { scene.lines("bodies").count == 4 })
    for number in try scene.processes("srun") + scene.workers() { kill(number, SIGKILL) }
    process.send(SIGKILL)
    _ = process.result(limitSeconds: 20)
    var left: (jobs: String, processes: [Int32]) = ("", [])
    _ = try within(seconds: 15) {
      left = (try cluster.ask("squeue -h"), try scene.processes(""))
      return left.jobs.isEmpty && left.processes.isEmpty
    }
    #expect(left.jobs == "")
    #expect(left.processes == [])
  }
}
