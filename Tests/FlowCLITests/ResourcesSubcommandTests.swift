import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Steps that request resources of the machine` {
  private static let workflow = """
    name: shares
    steps:
      first: { run: sleep 0.2, resources: { cpus: 2, memory: 64MiB } }
      second: { run: sleep 0.2, resources: { cpus: 2, memory: 64MiB } }
      each: { run: "true", foreach: [1, 2, 3], resources: { cpus: 1 }, needs: [first, second] }
    """

  private func tool(_ workflow: String = workflow) throws -> CommandLineTool {
    let tool = try CommandLineTool()
    try tool.write(workflow, to: "shares.yaml")
    return tool
  }

  @Test func `steps that request the same resource wait for each other, and analyze reports the cause`() throws {
    let tool = try tool()
    defer { tool.remove() }
    let run = try tool.run("shares.yaml", "--resources", "cpus=2,memory=1GiB", "--report", "report.json")
    #expect(run.exitCode == 0, "\(run)")
    for launch in ["report.json", "last"] {
      let told = try tool.run("analyze", launch, "--format", "json")
      #expect(told.exitCode == 0 && told.standardOutput.contains("\"cause\": \"resources\""), "\(launch): \(told)")
    }
    #expect(try tool.text(of: "report.json").contains("\"memoryBytes\": 67108864"))
    let workers = try tool.run(
      "shares.yaml", "--resources", "cpus=2,memory=1GiB", "--on", "workers=4", "--report", "away.json")
    #expect(workers.exitCode == 0, "\(workers)")
    #expect(try tool.run("analyze", "away.json").standardOutput.contains("resources"))
  }

  @Test func `the results of simulate depend on the capacity`() throws {
    let tool = try tool(
      "name: played\nsteps:\n"
        + (0..<4).map { "  s\($0): { run: 'true', estimate: 100ms, resources: { cpus: 2 } }\n" }.joined())
    defer { tool.remove() }
    func gate(_ capacity: String) throws -> String {
      let told = try tool.run("simulate", "shares.yaml", "--runs", "10", "--seed", "1", "--resources", capacity)
      #expect(told.exitCode == 0, "\(told)")
      return told.standardOutput
    }
    #expect(try gate("cpus=2") != gate("cpus=8"))
  }

  @Test(arguments: [
    ("cpus=1", 2, "step 'first': asks for 2 cpus, but there is 1 in '--resources'"),
    ("cpus=8,memory=1MiB", 2, "step 'first': asks for 64MiB of memory, but there is 1MiB in '--resources'"),
    ("cpus", 64, "write each of cpus, memory and gpus once"), ("cpu=2", 64, "did you mean 'cpus'?"),
    ("memory=8G", 64, "write 8GiB"), ("cpus=0", 64, "'0' is not a number from 1 to 65536"),
    ("gpus=-1", 64, "'-1' is not a number from 0"), ("cpus=1,cpus=2", 64, "write each of cpus, memory and gpus once"),
  ])
  func `an invalid or insufficient capacity is rejected at once`(capacity: String, code: Int32, message: String)
    throws
  {
    let tool = try tool()
    defer { tool.remove() }
    for subcommand in [["run", "shares.yaml", "--no-history"], ["simulate", "shares.yaml", "--runs", "2"]] {
      let told = try tool.run(subcommand + ["--resources", capacity])
      #expect(told.exitCode == code && told.standardError.contains(message), "\(told)")
    }
  }

  @Test func `validate checks resources against the executors that the steps would run on`() throws {
    let tool = try tool(
      """
      name: placed
      steps:
        big: { run: "true", resources: { cpus: 60000 } }
        away: { run: "true" }
      """)
    defer { tool.remove() }
    let here = try tool.run("validate", "shares.yaml")
    #expect(
      here.exitCode == 0
        && here.standardOutput.contains("it cannot run on this machine: step 'big': asks for 60000 cpus"))
    let local = try tool.run("validate", "shares.yaml", "--on", "local")
    #expect(local.exitCode == 2 && local.standardError.contains("error: step 'big': asks for 60000 cpus"), "\(local)")
    try tool.write(
      "name: placed\nsteps: { a: { run: 'true', resources: { cpus: 1 } }, b: { run: 'true' } }", to: "small.yaml")
    let slurm = try tool.run("validate", "small.yaml", "--on", "slurm=4")
    #expect(slurm.standardOutput.contains("  a  slurm=4: a job of its own with 1 cpu\n"), "\(slurm)")
    // A request to Slurm may exceed the resources of this machine.
    let large = try tool.run("validate", "shares.yaml", "--on", "slurm=4")
    #expect(large.exitCode == 0 && large.standardOutput.contains("a job of its own with 60000 cpus"), "\(large)")
    let workers = try tool.run("validate", "small.yaml", "--on", "workers=4")
    #expect(workers.standardOutput.contains("  a  workers=4: 1 cpu of this machine\n"), "\(workers)")
    #expect(workers.standardOutput.contains("2 of 2 steps would be started remotely"), "\(workers)")
    let dask = try tool.run("validate", "small.yaml", "--on", "dask=tcp://head:8786")
    #expect(dask.standardOutput.contains("a  here: it has 'resources', which 'dask' does not count"), "\(dask)")
    try tool.write(
      "name: p\nsteps: { a: { run: 'true', executor: ssh=hosts, resources: { cpus: 1 } } }", to: "wrong.yaml")
    let wrong = try tool.run("validate", "wrong.yaml")
    #expect(wrong.exitCode == 2 && wrong.standardOutput.contains("'ssh' does not count"), "\(wrong)")
  }

  @Test func `a file can have 1,000 different requests for resources, but no more`() throws {
    func workflow(_ count: Int) -> String {
      "name: many\nsteps:\n"
        + (1...count).map { "  s\($0): { run: 'true', resources: { cpus: 1, memory: \($0)KiB } }\n" }.joined()
    }
    let tool = try tool(workflow(1000))
    defer { tool.remove() }
    let most = try tool.run("validate", "shares.yaml")
    #expect(most.exitCode == 0, "\(most.standardOutput.suffix(500))")
    try tool.write(workflow(1001), to: "more.yaml")
    let more = try tool.run("validate", "more.yaml")
    #expect(more.exitCode == 2, "\(more.standardOutput.suffix(500))")
    #expect(more.standardOutput.contains("there are more than 1000 different 'resources'"))
    // A request that is repeated counts only once.
    try tool.write(
      workflow(1000) + "  again: { run: 'true', resources: { cpus: 1, memory: 7KiB } }\n", to: "again.yaml")
    let again = try tool.run("validate", "again.yaml")
    #expect(again.exitCode == 0, "\(again.standardOutput.suffix(500))")
  }

  @Test func `resource requests are checked against the capacity again when a run is resumed`() throws {
    let tool = try tool(
      """
      name: resumed
      steps:
        first: { run: "test -e go", resources: { cpus: 2 } }
        second: { run: "touch second", resources: { cpus: 2 }, needs: first }
      """)
    defer { tool.remove() }
    let failed = try tool.run("shares.yaml", "--resources", "cpus=2")
    #expect(failed.exitCode == 1, "\(failed)")
    try tool.write("", to: "go")
    let small = try tool.run("resume", "last", "--resources", "cpus=1")
    #expect(
      small.exitCode == 2 && small.standardError.contains("asks for 2 cpus, but there is 1 in '--resources'"),
      "\(small)")
    #expect(!FileManager.default.fileExists(atPath: tool.folder.appendingPathComponent("second").path))
    let wrong = try tool.run("resume", "last", "--resources", "cpu=1")
    #expect(wrong.exitCode == 64 && wrong.standardError.contains("did you mean 'cpus'?"), "\(wrong)")
    let resumed = try tool.run("resume", "last", "--resources", "cpus=2")
    #expect(resumed.exitCode == 0, "\(resumed)")
    #expect(FileManager.default.fileExists(atPath: tool.folder.appendingPathComponent("second").path))
  }

  @Test func `requests for resources are exported in the formats of Slurm and Argo`() throws {
    let tool = try tool(
      """
      name: exported
      steps:
        train: { run: "true", resources: { cpus: 4, memory: 8GiB, gpus: 1 } }
        small: { run: "true", resources: { cpus: 2 } }
      """)
    defer { tool.remove() }
    let slurm = try tool.run("export", "shares.yaml", "--format", "slurm")
    #expect(
      slurm.exitCode == 0 && slurm.standardOutput.contains("--cpus-per-task=4 --mem=8388608K --gres=gpu:1 "), "\(slurm)"
    )
    #expect(slurm.standardOutput.contains("--cpus-per-task=2 --wrap="))
    let argo = try tool.run("export", "shares.yaml", "--format", "argo").standardOutput
    let dense = argo.filter { !$0.isWhitespace }
    #expect(
      dense.contains(
        #""resources":{"requests":{"cpu":"4","memory":"8388608Ki"},"limits":{"memory":"8388608Ki","nvidia.com/gpu":"1"}}"#
      ))
    #expect(dense.contains(#""resources":{"requests":{"cpu":"2"}}"#))
  }
}
