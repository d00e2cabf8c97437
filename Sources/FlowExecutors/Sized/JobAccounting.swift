import FlowModel
import FlowSystem

/// What an engine's accounting says of a job or of a part of it: a line.
struct AccountingLine: Sendable, Equatable {
  /// The job: `1234`, `1234_17`.
  var job: String
  var name: String
  /// Whether it is about a part of the job: it has the memory.
  var isPart: Bool
  /// Whether that part is one that `srun` started, not the job's script.
  var isStep: Bool
  var state: String
  var reason: String
  var elapsedMilliseconds: Int?
  var cpuMilliseconds: Int?
  var memoryBytes: Int?

  /// How `sacct` is to write a line.
  static let format = "JobID,JobName,State,Reason,ElapsedRaw,TotalCPU,MaxRSS"

  /// What a line says; nil: it is not one.
  init?(_ line: String) {
    let words = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    guard words.count == 7 else { return nil }
    let id = words[0].split(separator: ".", maxSplits: 1).map(String.init)
    guard let job = id.first else { return nil }
    (self.job, isPart, name) = (job, id.count > 1, words[1])
    isStep = id.count > 1 && Int(id[1]) != nil
    // `CANCELLED by 1000`.
    state = words[2].split(separator: " ").first.map(String.init) ?? ""
    reason = words[3] == "None" ? "" : words[3]
    elapsedMilliseconds = Int(words[4]).map { $0 * 1000 }
    cpuMilliseconds = Self.milliseconds(words[5])
    memoryBytes = Self.bytes(words[6])
  }

  /// A time such as `01:02.345` or `1-02:03:04`.
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

  /// An amount of memory with or without a unit: `139624448`, `1024K`.
  private static func bytes(_ text: String) -> Int? {
    let shift = ["K": 10, "M": 20, "G": 30, "T": 40][text.last.map(String.init) ?? ""]
    return Double(shift == nil ? text[...] : text.dropLast()).map { Int($0 * Double(1 << (shift ?? 0))) }
  }

  /// Whether the job has ended.
  var hasEnded: Bool { !["RUNNING", "PENDING", "COMPLETING", "REQUEUED", "RESIZING", "SUSPENDED"].contains(state) }
}

/// The jobs that bodies had for themselves, for the report.
struct SizedJobs {
  /// What a job is called, and what ran in it.
  private var jobs: [(name: String, account: JobAccount)] = []

  /// Adds one.
  mutating func add(_ account: JobAccount, named name: String) { jobs.append((name, account)) }

  /// Whether there were none.
  var isEmpty: Bool { jobs.isEmpty }
  /// The jobs whose numbers are known, and the names of the others.
  var known: [String] { jobs.compactMap(\.account.job) }
  var names: [String] { jobs.filter { $0.account.job == nil }.map(\.name) }

  /// The accounts that these lines make, and whether all of the jobs have ended.
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
      // The database gets each part by itself, and that of the step may come after the job's own end.
      let lacksStep = whole.state == "COMPLETED" && !lines.contains(where: \.isStep)
      if lacksStep || lines.contains(where: { !$0.hasEnded }) { areComplete = false }
      account.job = job
      account.state = whole.state
      // How a part ended that took too much memory says more.
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
  /// How long the accounting may take to hear of the last jobs.
  private static let accountingTime = Duration.seconds(5)

  /// What the engine's accounting says of the jobs that bodies had for themselves, and why it does not say all of it; called
  /// once the executor is closed.
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
