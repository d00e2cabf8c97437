import FlowModel
import FlowSyntax
import Foundation
import TestSupport
import Testing

@testable import FlowExecutors

/// Runs the shell scripts that send signals to processes listed by Slurm.
@Suite(.timeLimit(.minutes(10))) struct SlurmScriptsTests {
  private static func quoted(_ words: [String]) -> String {
    words.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
  }

  private static func output(of call: String, job: String, _ lines: [String], shell: String) throws -> [String] {
    let script = "export SLURM_JOB_ID='\(job)'\n\(SlurmScripts.processes)\n\(call)"
    let (_, output) = try Shell.run(
      quoted([shell, "-c", script]), input: lines.map { $0 + "\n" }.joined())
    return output.split(separator: "\n").map(String.init)
  }

  private static let header = "PID      JOBID    STEPID   LOCALID GLOBALID"

  /// A job, lines of `scontrol listpids`, the lines that belong to processes of the job, and the script that may
  /// receive a signal.
  private typealias List = (job: String, lines: [String], listed: [String], script: String?)
  private static let lists: [List] = [
    ("180", [], [], nil),
    ("180", [header], [], nil),
    // The script has not started.
    ("180", [header, "-1       180      batch    0       0       "], [], nil),
    (
      "180", [header, "36       180      batch    -       -       ", "-1       180      batch    0       0       "],
      ["batch - 36"], nil
    ),
    ("180", ["-1 180 batch 0 0", "36 180 batch - -"], ["batch - 36"], nil),
    // The script is not running a program.
    ("180", ["36 180 batch 0 0"], ["batch 0 36"], nil),
    ("180", ["36 180 batch 0 0", "36 180 batch - -"], ["batch 0 36", "batch - 36"], nil),
    ("180", ["36 180 batch 0 0", "37 180 batch - -"], ["batch 0 36", "batch - 37"], "36"),
    ("180", ["37 180 batch - -", "36 180 batch 0 0"], ["batch - 37", "batch 0 36"], "36"),
    ("180", ["36 180 batch 0 0", "37 180 batch - -", "38 180 0 0 0"], ["batch 0 36", "batch - 37", "0 0 38"], "36"),
    // The id of another job is in the column of processes, or contains the id of this job.
    ("5", ["32532    5    batch 0 0", "32533    5    batch - -"], ["batch 0 32532", "batch - 32533"], "32532"),
    ("5", ["32532 55 batch 0 0", "32533 55 batch - -"], [], nil),
    ("5", ["5 32532 batch 0 0", "5 32532 batch - -"], [], nil),
    ("5", ["32532 15 batch 0 0", "32533 51 batch - -"], [], nil),
    // The process ids are not valid.
    ("5", ["0 5 batch 0 0", "1 5 batch 0 0", "-12 5 batch 0 0", "36 5 batch - -"], ["batch - 36"], nil),
    (
      "5", ["007 5 batch 0 0", "7x 5 batch 0 0", "99999999999 5 batch 0 0", "- 5 batch 0 0", "36 5 batch - -"],
      ["batch - 36"], nil
    ),
    ("5", ["slurm: error", "", "36", "36 5", "36 5 batch"], ["  36", "batch  36"], nil),
    ("5", ["36 5 batch 1 1", "37 5 batch - -"], ["batch 1 36", "batch - 37"], nil),
    ("", ["36", "36 batch 0 0", "37 batch - -"], ["  36"], nil),
  ]

  @Test(arguments: ["sh", "bash"])
  func `only a job's own processes are used from Slurm's list of processes`(shell: String) throws {
    for (job, lines, listed, script) in Self.lists {
      #expect(try Self.output(of: "listed_processes", job: job, lines, shell: shell) == listed, "\(lines)")
      #expect(
        try Self.output(of: "started_script", job: job, lines, shell: shell) == (script.map { [$0] } ?? []), "\(lines)")
    }
  }

  private static let isIsolated = (try? Shell.run("unshare --pid --fork --mount-proc true"))?.status == 0

  /// Runs a script as the first process of a PID namespace, so that it cannot send signals to other processes of this
  /// machine. Returns the lines that it prints.
  private func isolated(_ script: String) throws -> [String] {
    let (_, output) = try Shell.run(
      "unshare --pid --fork --kill-child --mount-proc " + Self.quoted(["sh", "-c", script]))
    return output.split(separator: "\n").map(String.init)
  }

  /// The lists that a node may return, one after another, while the script of a task starts. `P` stands for the script,
  /// `C` for its program and `B` for an unrelated process.
  private static let looks = [
    "-1 180 batch 0 0", "-1 180 batch 0 0\nC 180 batch - -", "P 180 batch 0 0", "P 180 batch 0 0\nC 180 batch - -",
    "B 18 batch 0 0\nB 18 batch - -\n180 32532 batch 0 0", "B 180 batch 0 0\nC 180 batch - -", "",
  ]

  @Test(.enabled(if: isIsolated || TestExtent.isFull, "there are no namespaces of processes"))
  func `a Slurm task's holder sends signals only to the task's script, whatever Slurm lists`() throws {
    let slurm = try FakeSlurm()
    defer { slurm.remove() }
    func write(_ script: String, to name: String) throws {
      try script.write(toFile: "\(slurm.folder)/\(name)", atomically: false, encoding: .utf8)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: "\(slurm.folder)/\(name)")
    }
    try write("#!/bin/sh\n[ \"$1\" = 0.3 ] || exec /bin/sleep \"$@\"\n", to: "sleep")
    // Each call returns the next list, and finally the last list repeatedly.
    try write(
      """
      #!/bin/sh
      cd '\(slurm.folder)'
      list=$(head -n 1 order)
      [ "$(wc -l <order)" = 1 ] || sed -i 1d order
      sed "s/P/$(cat script)/; s/C/$(cat program)/; s/B/$(cat bystander)/" "list.$list"

      """, to: "scontrol")
    for (number, look) in Self.looks.enumerated() { try write(look + "\n", to: "list.\(number)") }
    let holder = Self.quoted([
      "/bin/sh", "-c", SlurmScripts.holder, "flowrun-worker", "run.s.1", "mark", "180_0", "true",
    ])
    let output = try isolated(
      #"""
      cd '\#(slurm.folder)'; export PATH="$PWD:$PATH"
      /bin/sleep 300 & bystander=$!; echo $bystander >bystander
      for first in 0 1 2 3 4 5 6; do for second in 0 1 2 3 4 5 6; do
        printf '%s\n' $first $second >order; rm -f ready calls
        SLURM_JOB_ID=180 SLURM_JOB_NAME=run.s.1 sh -c \
          'trap "kill $!; exit 7" USR1; /bin/sleep 300 & echo $! >program; : >ready; wait' & script=$!
        echo $script >script
        while [ ! -e ready ]; do :; done
        SLURM_JOB_ID=180 SLURM_JOB_NAME=run.s.1 SLURMD_NODENAME=n \#(holder)
        [ -e calls ] && kill -KILL $script $(cat program)
        wait $script; status=$?
        kill -0 $bystander || { echo the bystander was ended; exit; }
        echo "$first $second $status $(cut -d ' ' -f 1,3- calls 2>/dev/null)"
      done; done 2>/dev/null
      kill -KILL $bystander
      """#)
    var expected: [String] = []
    for first in Self.looks.indices {
      for second in Self.looks.indices {
        let isSignaled = first == 3 || second == 3
        expected.append("\(first) \(second) " + (isSignaled ? "7 " : "137 scancel --quiet --name=run.s.1 180_0"))
      }
    }
    #expect(output == expected)
  }

  @Test(
    .enabled(if: isIsolated || TestExtent.isFull, "there are no namespaces of processes"),
    arguments: ["-1", "0", "1", "99999"])
  func `a worker's guard kills only its parent process, whatever process ids its options contain`(holder: String)
    throws
  {
    let output = try isolated(
      #"""
      /bin/sleep 300 & bystander=$!
      # An input that neither has anything nor ends.
      input=$(mktemp -u); mkfifo "$input"; exec 3<>"$input"; rm "$input"
      for worker in '$$' 0 -1; do
        sh -c "'\#(FlowrunProcess.path)' worker --watch=$worker --silence=100 --holder=\#(holder); true" <&3
        echo "$?"
        kill -0 $bystander || echo the bystander was ended
      done 2>/dev/null
      kill -KILL $bystander
      """#)
    // The guard kills its worker. It does nothing if the given process is not its worker.
    #expect(output == ["137", "0", "0"])
  }
}
