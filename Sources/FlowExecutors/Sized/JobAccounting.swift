import FlowModel
import FlowSystem

/// A line of an engine's accounting about a job or a part of it.
struct AccountingLine: Sendable, Equatable {
  /// The job: `1234` or `1234_17`.
  var job: String
  var name: String
  /// True if it is about a part of the job, which has the memory usage.
  var isPart: Bool
  /// True if the part was started by `srun`, rather than being the job's script.
  var isStep: Bool
  var state: String
  var reason: String
  var elapsedMilliseconds: Int?
  var cpuMilliseconds: Int?
  var memoryBytes: Int?

  /// The format in which `sacct` must print a line.
  static let format = "JobID,JobName,State,Reason,ElapsedRaw,TotalCPU,MaxRSS"

  /// Parses a line; returns nil if it is invalid.
  init?(_ line: String) {
    let words = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    guard words.count == 7 else { return nil }
    let id = words[0].split(separator: ".", maxSplits: 1).map(String.init)
    guard let job = id.first else { return nil }
    (self.job, isPart, name) = (job, id.count > 1, words[1])
    isStep = id.count > 1 && Int(id[1]) != nil
    // For example, `CANCELLED by 1000`.
    state = words[2].split(separator: " ").first.map(String.init) ?? ""
    reason = words[3] == "None" ? "" : words[3]
    elapsedMilliseconds = Int(words[4]).map { $0 * 1000 }
    cpuMilliseconds = Self.milliseconds(words[5])
    memoryBytes = Self.bytes(words[6])
  }

  /// Parses a time such as `01:02.345` or `1-02:03:04`.
  private static func milliseconds(_ text: String) -> Int? {
    let days = text.split(separator: "-").map(String.init)
    guard let clock = days.last, days.count <= 2 else { return nil }
    var seconds = 0.0
    for part in clock.split(separator: ":") {
      guard let number = Double(part) else { return nil }
      seconds = seconds * 60 + number
    }
    if days.count == 2 { seconds += (Double(days[0]) ?? 0) * 86_400 }
    return Int(seconds * 1000)
  }

  /// Parses an amount of memory with or without a unit: `139624448`, `1024K`.
  private static func bytes(_ text: String) -> Int? {
    let shift = ["K": 10, "M": 20, "G": 30, "T": 40][text.last.map(String.init) ?? ""]
    return Double(shift == nil ? text[...] : text.dropLast()).map { Int($0 * Double(1 << (shift ?? 0))) }
  }

  /// True if the job has ended.
  var hasEnded: Bool { !["RUNNING", "PENDING", "COMPLETING", "REQUEUED", "RESIZING", "SUSPENDED"].contains(state) }
}

/// The jobs with a single body each, for the report.
struct SizedJobs {
  /// The name of each job, and the attempt that ran in it.
  private var jobs: [(name: String, account: JobAccount)] = []

  /// Adds a job.
  mutating func add(_ account: JobAccount, named name: String) { jobs.append((name, account)) }

  /// True if there are no jobs.
  var isEmpty: Bool { jobs.isEmpty }
  /// The jobs whose numbers are known.
  var known: [String] { jobs.compactMap(\.account.job) }
  var names: [String] { jobs.filter { $0.account.job == nil }.map(\.name) }

  /// The accounts in these lines, and whether all of the jobs have ended.
  func accounts(_ lines: [AccountingLine]) -> (accounts: [JobAccount], areComplete: Bool) {
    var byJob: [String: [AccountingLine]] = [:]
    var byName: [String: String] = [:]
    for line in lines {
      byJob[line.job, default: []].append(line)
      if !line.isPart { byName[line.name] = line.job }
    }
    var areComplete = true
    let accounts = jobs.map { name, account in
      var account = account
      guard let job = account.job ?? byName[name], let lines = byJob[job],
        let whole = lines.first(where: { !$0.isPart })
      else {
        areComplete = false
        return account
      }
      // The database receives each part separately, and that of the step may arrive after the job's own end.
      let lacksStep = whole.state == "COMPLETED" && !lines.contains(where: \.isStep)
      if lacksStep || lines.contains(where: { !$0.hasEnded }) { areComplete = false }
      account.job = job
      account.state = whole.state
      // The state of a part that ran out of memory is more informative.
      if let worst = lines.first(where: { $0.state == "OUT_OF_MEMORY" }) { account.state = worst.state }
      account.reason = whole.reason.isEmpty ? nil : whole.reason
      (account.elapsedMilliseconds, account.cpuMilliseconds) = (whole.elapsedMilliseconds, whole.cpuMilliseconds)
      account.memoryBytes = lines.compactMap(\.memoryBytes).max()
      return account
    }
    return (accounts, areComplete)
  }
}

extension WorkerPool {
  /// The time for the accounting to receive the last jobs.
  private static let accountingTime = Duration.seconds(5)

  /// The engine's accounting of jobs with a single body, and the reason if it is incomplete. Called once the executor
  /// is closed.
  package func accounts() async -> (accounts: [JobAccount], problem: String?) {
    let jobs = sizedJobs.withLock { $0 }
    guard let account = sized?.account, !jobs.isEmpty else { return ([], nil) }
    let limit = ContinuousClock.now + Self.accountingTime
    while true {
      let result: Result<[AccountingLine], ExecutorProblem>
      do throws(SystemError) {
        result = try await DetachedThread.run {
          do throws(ExecutorProblem) { return .success(try account(jobs.known, jobs.names)) } catch {
            return .failure(error)
          }
        }
      } catch {
        return (jobs.accounts([]).accounts, "\(error)")
      }
      switch result {
      case .failure(let problem): return (jobs.accounts([]).accounts, problem.message)
      case .success(let lines):
        let (accounts, areComplete) = jobs.accounts(lines)
        guard areComplete || .now > limit else { break }
        if accounts.allSatisfy({ $0.memoryBytes == nil }) {
          return (accounts, "the memory of these jobs was not measured: see JobAcctGatherType of Slurm")
        }
        return (accounts, areComplete ? nil : "the accounting did not have all jobs 5 s after the run")
      }
      try? await Task.sleep(for: .milliseconds(300))
    }
  }
}
