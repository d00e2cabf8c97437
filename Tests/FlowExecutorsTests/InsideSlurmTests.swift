import Foundation
import TestSupport
import Testing

/// Runs flowrun inside a Slurm job, as many computing centers require for long-running programs.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: SlurmCluster.isInstalled))
final class InsideSlurmTests {
  private let cluster: SlurmCluster
  private let folder = FileManager.default.temporaryDirectory.path + "/flowrun-inside-\(UUID().uuidString)"

  init() throws {
    cluster = try SlurmCluster()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func text(_ name: String) -> String {
    ((try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? "")
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Submits a job that runs a workflow on Slurm and then continues. Returns when a step of the workflow has started.
  private func submit(_ command: String) throws {
    try command.write(toFile: "\(folder)/flow.yaml", atomically: true, encoding: .utf8)
    try """
    #!/bin/bash
    #SBATCH --nodes=1 --ntasks=1 --cpus-per-task=1 --job-name=mine --output=\(folder)/output
    cd '\(folder)'
    export INSIDE='\(folder)'
    # As a shell at a terminal starts it: in the background of a script SIGINT is ignored.
    python3 -c 'import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])' \
      '\(FlowrunProcess.path)' flow.yaml --on 'slurm=4,worker=\(FlowrunProcess.path)' &
    echo $! > process
    wait $!
    echo $? > status
    sleep 60

    """.write(toFile: "\(folder)/job", atomically: true, encoding: .utf8)
    _ = try cluster.ask("sbatch '\(folder)/job'")
  }

  /// Returns the names of all jobs except the one in which flowrun runs.
  private func others() throws -> [Substring] {
    try cluster.ask("squeue -h -o %j").split(separator: "\n").filter { $0 != "mine" }
  }

  private func isMineRunning() throws -> Bool { try cluster.ask("squeue -h -n mine -o %T") == "RUNNING\n" }

  private let waiting = "name: x\nsteps: { a: { run: 'echo \"$SLURM_JOB_NAME\" > number; sleep 60' } }\n"

  @Test func `a workflow in a Slurm job gets its own allocations, and the user's job continues`() throws {
    try submit("name: x\nsteps: { a: { run: 'echo \"$SLURM_JOB_NAME\" > number' } }\n")
    #expect(within(seconds: 60) { !text("status").isEmpty })
    #expect(text("status") == "0", "\(text("output"))")
    #expect(text("number").hasPrefix("flowrun-"))
    #expect(try within(seconds: 5) { try others().isEmpty })
    #expect(try isMineRunning())
  }

  /// Returns the process id of the flowrun that runs in the job.
  private func flowrun() throws -> Int32 {
    let process = try #require(ListedProcess.number(text("process")))
    try #require(ListedProcess.program(of: process) == "flowrun")
    return process
  }

  @Test(.enabled(if: TestExtent.isFull), arguments: [(SIGKILL, "137"), (SIGTERM, "143"), (SIGINT, "130")])
  func `if a signal stops flowrun in a Slurm job, its allocations are released and the user's job continues`(
    signal: Int32, status: String
  ) throws {
    try submit(waiting)
    #expect(within(seconds: 60) { text("number").hasPrefix("flowrun-") }, "\(text("output"))")
    kill(try flowrun(), signal)
    #expect(try within(seconds: 15) { try others().isEmpty })
    #expect(within(seconds: 15) { text("status") == status }, "\(text("output"))")
    #expect(try isMineRunning())
  }

  @Test(.enabled(if: TestExtent.isFull))
  func `allocations are released within 15 s after all of flowrun's processes in a Slurm job were killed`() throws {
    try submit(waiting)
    #expect(within(seconds: 60) { text("number").hasPrefix("flowrun-") }, "\(text("output"))")
    // Two jobs are listed, one running and one waiting, because the user's job occupies a processor.
    #expect(try others().count == 2)
    let process = try flowrun()
    // The guard has no environment, and the process that releases allocations is not a child of flowrun.
    let (_, output) = try Shell.run(
      """
      kill -STOP \(process)
      all="\(process) $(pgrep -P \(process))"
      for file in $(grep -lsF 'INSIDE=\(folder)' /proc/[0-9]*/environ); do
        number=${file#/proc/}; number=${number%/environ}
        case $(cat /proc/$number/comm) in slurm_script) ;; sleep) ;; *) all="$all $number" ;; esac
      done
      kill -KILL $all
      echo $all
      """)
    #expect(output.split(separator: " ").count > 4, "\(output)")
    #expect(try within(seconds: 15) { try others().isEmpty })
    #expect(within(seconds: 5) { text("status") == "137" })
    #expect(try isMineRunning())
  }
}
