import FlowModel
import FlowPluginHost
import FlowSyntax
import FlowSystem

/// Slurm as an engine of workers: one allocation a node, whose only task is the worker that `srun` carries. So both end
/// together, and a node that dies takes no healthy one with it. A step with `resources` has an allocation of its own.
struct SlurmEngine {
  let address: ExecutorAddress
  let environment: [String: String]

  /// What Slurm calls the allocations of this run, with a number behind it, and no others.
  private let jobName = "flowrun-" + String(UInt64.random(in: 0 ... .max), radix: 36)

  /// How long Slurm may take to answer a question.
  private static let answerTime = Duration.seconds(10)
  /// How long an allocation may wait in Slurm's queue where nobody says.
  private static let usualWait = Duration.seconds(3600)

  init(address: ExecutorAddress, environment: [String: String]) {
    self.address = address
    self.environment = environment
  }

  private var wait: Duration { address["wait"].flatMap { try? DurationText.parse($0) } ?? Self.usualWait }

  /// The workers that so many places take.
  func starts(_ worker: [String], perNode: Int) -> [WorkerStart] {
    let count = (address.places + perNode - 1) / perNode
    return (0..<count).map { index in
      let places = address.places / count + (index < address.places % count ? 1 : 0)
      return start("allocation \(index + 1)", named: name(index), MachineShare(cpus: places), places: places, worker)
    }
  }

  /// The workers of steps with `resources`, each a job that bears the name of the body.
  func sized(_ worker: @escaping @Sendable (ResultFile?) -> [String]) -> SizedWorkers {
    SizedWorkers(
      places: address.places,
      start: { share, body, result in start("job \(body)", named: body, share, places: 1, worker(result)) },
      lackRoom: lackRoom)
  }

  private func start(
    _ name: String, named job: String, _ share: MachineShare, places: Int, _ worker: [String]
  ) -> WorkerStart {
    WorkerStart(
      name: name, command: command(share, worker, job), environment: environment, places: places, startLimit: wait,
      exitSigns: ["task 0:"], release: Self.release([job]))
  }

  private func name(_ index: Int) -> String { "\(jobName).\(index + 1)" }

  /// Gives back allocations that there are, or are still waited for: Slurm keeps one whose `srun` is killed in its queue, and
  /// one of a node that died and came back.
  private static func release(_ names: [String]) -> [String] {
    ["/bin/sh", "-c", #"for name; do scancel --quiet --name="$name"; done"#, "flowrun-release"] + names
  }

  /// Gives back all of them.
  func release(_ starts: [WorkerStart]) -> [String] { Self.release(starts.indices.map(name)) }

  /// Only what a program needs to be found travels by itself: whatever else steps are to see they state.
  private static let exported = "PATH,HOME,USER,LOGNAME,SHELL,LANG,LC_ALL,TZ,SLURM_CONF"

  /// Ends the allocation when the worker has ended otherwise than it was asked to: with `srun` killed, nobody else would.
  private static let holder = #""$@"; status=$?; [ $status = 0 ] || scancel --quiet "$SLURM_JOB_ID"; exit $status"#

  private func command(_ share: MachineShare, _ worker: [String], _ name: String) -> [String] {
    var words = [
      "srun", "--nodes=1", "--ntasks=1", "--cpus-per-task=\(share.cpus)", "--job-name=\(name)", "--mpi=none",
      "--export=\(Self.exported)",
    ]
    if share.memoryBytes > 0 { words.append("--mem=\(share.memoryBytes >> 10)K") }
    if share.gpus > 0 { words.append("--gres=gpu:\(share.gpus)") }
    for option in ["partition", "account", "qos", "constraint"] {
      if let value = address[option] { words.append("--\(option)=\(value)") }
    }
    if let time = address["time"].flatMap({ try? DurationText.parse($0) }) {
      words.append("--time=\(Self.text(of: time))")
    }
    return words + ["/bin/sh", "-c", Self.holder, "flowrun-worker"] + worker
  }

  /// As Slurm writes times: `1:00:00`.
  static func text(of time: Duration) -> String {
    let seconds = max(1, (time.nanoseconds + 999_999_999) / 1_000_000_000)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
  }

  // MARK: What there is

  /// What Slurm has for the address.
  func cluster() throws(ExecutorProblem) -> SlurmNodes {
    let known = try ask(["sinfo", "--noheader", "--format=%R %a"]).map { $0.split(separator: " ").map(String.init) }
    let partitions = known.compactMap(\.first)
    let partition = address["partition"]
    if let partition, !partitions.contains(partition) {
      let others = partitions.isEmpty ? "there are none" : "there are \(partitions.joined(separator: ", "))"
      throw ExecutorProblem("Slurm has no partition '\(partition)'; \(others)")
    }
    if let state = known.first(where: { $0.first == partition })?.last, state != "up" {
      throw ExecutorProblem("Slurm's partition '\(partition ?? "")' is \(state)")
    }
    let nodes = ["sinfo", "--noheader", "--Node", "--format=\(SlurmNodes.format)"]
    return SlurmNodes(try ask(nodes + (partition.map { ["--partition=\($0)"] } ?? [])), of: address)
  }

  /// Whether a job of these names waits until others give something back.
  @Sendable private func lackRoom(_ names: [String]) -> Bool {
    let lines = try? ask(["squeue", "--noheader", "--me", "--states=PENDING", "--format=%r %j"])
    let reasons = ["Resources ", "Priority "]
    return lines?.contains { line in
      reasons.contains { line.hasPrefix($0) && names.contains(String(line.dropFirst($0.count))) }
    } ?? false
  }

  /// The lines that a command of Slurm prints.
  private func ask(_ words: [String]) throws(ExecutorProblem) -> [String] {
    let answer: FinishedProgram
    do throws(SystemError) {
      answer = try FinishedProgram(
        PluginCommand(words, environment: environment), directory: "/", deadline: .now + Self.answerTime)
    } catch {
      throw ExecutorProblem("Slurm cannot be reached: \(error)")
    }
    let lines = answer.output.split(separator: "\n").map(String.init)
    guard case .exited(code: 0) = answer.status else {
      throw ExecutorProblem("Slurm cannot be reached: \(lines.last ?? "'\(words[0])' \(answer.status)")")
    }
    return lines
  }
}
