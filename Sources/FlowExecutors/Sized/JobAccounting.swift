import FlowModel
import FlowSystem

/// A line of accounting data, about a whole job or about one part of it.
struct AccountingLine: Sendable, Equatable {
  /// The job number, such as `1234` or `1234_17`.
  var job: String
  var name: String
  /// True if the line is about a part of the job. Only lines about parts contain the memory used.
  var isPart: Bool
  /// True if the part is a step started by `srun` rather than the job's script.
  var isStep: Bool
  var state: String
  var reason: String
  var elapsedMilliseconds: Int?
  var cpuMilliseconds: Int?
  var memoryBytes: Int?

  /// The format to request from `sacct`.
  static let format = "JobID,JobName,State,Reason,ElapsedRaw,TotalCPU,MaxRSS"

  /// Parses a line. Returns nil if it is invalid.
  init?(_ line: String) {
    let words = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    guard words.count == 7 else { return nil }
    let id = words[0].split(separator: ".", maxSplits: 1).map(String.init)
    guard let job = id.first else { return nil }
    (self.job, isPart, name) = (job, id.count > 1, words[1])
    isStep = id.count > 1 && Int(id[1]) != nil
    // The state may be followed by more words, such as `CANCELLED by 1000`.
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

  /// Parses an amount of memory with or without a unit, such as `139624448` or `1024K`.
  private static func bytes(_ text: String) -> Int? {
    let shift = ["K": 10, "M": 20, "G": 30, "T": 40][text.last.map(String.init) ?? ""]
    return Double(shift == nil ? text[...] : text.dropLast()).map { Int($0 * Double(1 << (shift ?? 0))) }
  }

  var hasEnded: Bool { !["RUNNING", "PENDING", "COMPLETING", "REQUEUED", "RESIZING", "SUSPENDED"].contains(state) }
}

/// The jobs of workers that run a single body each, recorded for the report.
struct SizedJobs {
  /// The names of the jobs in the engine, and the attempts that ran in them.
  private var jobs: [(name: String, account: JobAccount)] = []

  mutating func add(_ account: JobAccount, named name: String) { jobs.append((name, account)) }

  var isEmpty: Bool { jobs.isEmpty }
  /// The job numbers that have been received.
  var known: [String] { jobs.compactMap(\.account.job) }
  var names: [String] { jobs.filter { $0.account.job == nil }.map(\.name) }

  /// Combines lines of accounting data into one account per job. `areComplete` is false if data is still missing or a
  /// job has not ended.
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
      // The data of each part arrives separately. That of the step may arrive after the data of the whole job.
      let lacksStep = whole.state == "COMPLETED" && !lines.contains(where: \.isStep)
      if lacksStep || lines.contains(where: { !$0.hasEnded }) { areComplete = false }
      account.job = job
      account.state = whole.state
      // If a part ran out of memory, its state is more informative than that of the job.
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
  /// The maximum time to wait for the data of jobs that ended last.
  private static let accountingTime = Duration.seconds(5)

  /// Returns the engine's accounting data of jobs that ran a single body, and the reason if it is incomplete. Call it
  /// after the executor has been closed.
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
