import FlowModel
import FlowPluginHost
import FlowSyntax
import FlowSystem

/// Slurm as an engine of workers: one allocation a node, whose only task is the worker that `srun` carries. So both end
/// together, and a node that dies takes no healthy one with it.
struct SlurmEngine {
  let address: ExecutorAddress
  let environment: [String: String]

  /// What Slurm calls the allocations of this run, with a number behind it, and no others.
  private let jobName = "flowrun-" + String(UInt64.random(in: 0 ... .max), radix: 36)

  /// How long Slurm may take to answer a question.
  private static let answerTime = Duration.seconds(10)
  /// How long an allocation may wait in Slurm's queue where nobody says.
  private static let usualWait = Duration.seconds(3600)

  /// The workers that so many places take.
  func starts(_ worker: [String]) throws(ExecutorProblem) -> [WorkerStart] {
    let perNode = try placesPerNode()
    let count = (address.places + perNode - 1) / perNode
    let wait = address["wait"].flatMap { try? DurationText.parse($0) } ?? Self.usualWait
    return (0..<count).map { index in
      let places = address.places / count + (index < address.places % count ? 1 : 0)
      return WorkerStart(
        name: "allocation \(index + 1)", command: command(places, worker, name(index)), environment: environment,
        places: places, startLimit: wait, exitSigns: ["task 0:"], release: Self.release([name(index)]))
    }
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

  private func command(_ places: Int, _ worker: [String], _ name: String) -> [String] {
    var words = [
      "srun", "--nodes=1", "--ntasks=1", "--cpus-per-task=\(places)", "--job-name=\(name)", "--mpi=none",
      "--export=\(Self.exported)",
    ]
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

  /// How many places a node has: its processors, the fewest of any that can be used, unless somebody says.
  private func placesPerNode() throws(ExecutorProblem) -> Int {
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
    let nodes = try ask(
      ["sinfo", "--noheader", "--Node", "--format=%c %t %N"] + (partition.map { ["--partition=\($0)"] } ?? []))
    var fewest: Int?
    var most = 0
    var unusable: [String] = []
    for line in nodes {
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 3, let processors = Int(words[0]) else { continue }
      // A star says that the node does not answer.
      if words[1].hasSuffix("*") || ["down", "drain", "drng", "fail", "maint", "unk"].contains(words[1]) {
        let state = "\(words[2]) is \(words[1])"
        // A node is listed once for each of its partitions.
        if !unusable.contains(state) { unusable.append(state) }
      } else {
        fewest = min(fewest ?? .max, processors)
        most = max(most, processors)
      }
    }
    guard let fewest else {
      let states = unusable.isEmpty ? "it has none" : unusable.joined(separator: ", ")
      throw ExecutorProblem(
        "no node of \(partition.map { "the partition '\($0)'" } ?? "Slurm") can be used: \(states)")
    }
    let perNode = address["per-node"].flatMap { Int($0) } ?? max(1, fewest)
    guard perNode <= max(1, most) else {
      throw ExecutorProblem(
        "no node has \(perNode) processors, as per-node=\(perNode) asks for; the largest has \(most)")
    }
    return perNode
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
