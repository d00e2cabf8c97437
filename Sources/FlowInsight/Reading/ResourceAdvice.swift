import FlowModel

/// What a step asked of a cluster compared with what its jobs took, and what to ask for instead.
package struct ResourceAdvice: Sendable, Hashable {
  /// Whether a step asked for too much or too little.
  package enum Verdict: String, Sendable, Hashable {
    case tooMuch = "too-much"
    case tooLittle = "too-little"
  }

  /// What of the machine it is about.
  package enum Resource: String, Sendable, Hashable {
    case cpus, memory
  }

  /// The step.
  package var step: StepID
  package var resource: Resource
  package var verdict: Verdict
  /// What it asked for, in cpus or bytes; 0: it asked for none.
  package var requested: Int
  /// The most that one of its jobs took.
  package var used: Int
  /// What to ask for.
  package var proposed: Int
  /// How many of its jobs were measured.
  package var jobs: Int
  /// How many of them ran out of memory.
  package var failed: Int

  /// A part of what was asked for below which it is too much, and above which it is too little.
  private static let usual = 0.5...0.9
  /// How much more than what was taken is proposed.
  private static let spare = 1.25
  /// Amounts of memory are proposed in steps of this size.
  private static let grainBytes = 64 << 20
  /// Jobs that ran for less say nothing of processors.
  private static let shortestMilliseconds = 1000

  /// What there is to say of the jobs of a run, step by step.
  package static func all(of jobs: [ReportedJob]) -> [ResourceAdvice] {
    Dictionary(grouping: jobs, by: \.step).sorted { $0.key < $1.key }.flatMap { step, jobs in
      [memory(step, jobs), cpus(step, jobs)].compactMap { $0 }
    }
  }

  private static func memory(_ step: StepID, _ jobs: [ReportedJob]) -> ResourceAdvice? {
    let measured = jobs.filter { $0.memoryBytes != nil || $0.state == "OUT_OF_MEMORY" }
    let failed = measured.filter { $0.state == "OUT_OF_MEMORY" }
    guard let requested = measured.map(\.requested.memoryBytes).max() else { return nil }
    let used = measured.compactMap(\.memoryBytes).max() ?? 0
    func advice(_ verdict: Verdict, _ proposed: Int) -> ResourceAdvice {
      ResourceAdvice(
        step: step, resource: .memory, verdict: verdict, requested: requested, used: used, proposed: proposed,
        jobs: measured.count, failed: failed.count)
    }
    if !failed.isEmpty {
      // It grew until it was ended: how much it would have taken is not known.
      let most = failed.map(\.requested.memoryBytes).max() ?? 0
      let succeeded = measured.filter { $0.state == "COMPLETED" && $0.requested.memoryBytes > most }.isEmpty
      if succeeded { return advice(.tooLittle, rounded(Double(max(most, used)) * 2)) }
    }
    guard requested > 0, used > 0 else { return nil }
    let proposed = rounded(Double(used) * spare)
    let part = Double(used) / Double(requested)
    if part > usual.upperBound { return advice(.tooLittle, proposed) }
    return part < usual.lowerBound && proposed < requested ? advice(.tooMuch, proposed) : nil
  }

  private static func cpus(_ step: StepID, _ jobs: [ReportedJob]) -> ResourceAdvice? {
    let parts = jobs.compactMap { job -> Double? in
      guard let cpu = job.cpuMilliseconds, let elapsed = job.elapsedMilliseconds, elapsed >= shortestMilliseconds,
        job.state == "COMPLETED"
      else { return nil }
      return Double(cpu) / Double(elapsed)
    }
    guard let busiest = parts.max(), let requested = jobs.map(\.requested.cpus).max() else { return nil }
    let proposed = max(1, Int((busiest * 1.1).rounded(.up)))
    guard proposed < requested else { return nil }
    return ResourceAdvice(
      step: step, resource: .cpus, verdict: .tooMuch, requested: requested, used: Int(busiest.rounded(.up)),
      proposed: proposed, jobs: parts.count, failed: 0)
  }

  private static func rounded(_ bytes: Double) -> Int {
    max(1, Int((bytes / Double(grainBytes)).rounded(.up))) * grainBytes
  }

  /// As a sentence: `'train' asks for 8GiB of memory and took 1.1GiB at most (3 jobs); write 'memory: 1408MiB'`.
  package var text: String {
    let count = "\(jobs) job\(jobs == 1 ? "" : "s")"
    switch resource {
    case .cpus:
      return "'\(step)' asks for \(requested) cpus and kept at most \(used) busy (\(count)); write 'cpus: \(proposed)'"
    case .memory:
      let asked = requested > 0 ? "asks for \(MemoryText.format(requested)) of memory" : "asks for no memory"
      let took = used > 0 ? "took \(MemoryText.format(used)) at most" : "took more"
      let end = failed > 0 ? "; \(failed) of \(count) ran out of memory" : " (\(count))"
      return "'\(step)' \(asked) and \(took)\(end); write 'memory: \(MemoryText.format(proposed))'"
    }
  }
}

/// What a report says of one job on a cluster, which ran one attempt of a step or of an item.
package struct ReportedJob: Sendable, Hashable {
  /// The step.
  package var step: StepID
  /// What was asked for.
  package var requested: MachineResources
  /// How it ended, in the cluster's word; nil: the report does not say.
  package var state: String?
  /// How long it had its allocation.
  package var elapsedMilliseconds: Int?
  /// How much processor time it took.
  package var cpuMilliseconds: Int?
  /// The most memory that its processes held together.
  package var memoryBytes: Int?

  /// A job of which nothing is known yet.
  package init(step: StepID, requested: MachineResources) {
    self.step = step
    self.requested = requested
  }

  /// What an object of a report says; nil: it is not about a job.
  package init?(_ value: Value) {
    guard let object = value.objectValue, let step = object["step"]?.stringValue,
      let requested = object["requested"]?.objectValue
    else { return nil }
    self.init(
      step: StepID(unchecked: step),
      requested: MachineResources(
        cpus: requested["cpus"]?.integerValue ?? 1, memoryBytes: requested["memoryBytes"]?.integerValue ?? 0,
        gpus: requested["gpus"]?.integerValue ?? 0))
    state = object["state"]?.stringValue
    elapsedMilliseconds = object["elapsedMilliseconds"]?.integerValue
    cpuMilliseconds = object["cpuMilliseconds"]?.integerValue
    memoryBytes = object["memoryBytes"]?.integerValue
  }
}
