import FlowModel

/// A recommendation for the resources that a step should request, based on the amounts that its jobs used on a cluster.
package struct ResourceAdvice: Sendable, Hashable {
  package enum Verdict: String, Sendable, Hashable {
    case tooMuch = "too-much"
    case tooLittle = "too-little"
  }

  package enum Resource: String, Sendable, Hashable {
    case cpus, memory
  }

  package var step: StepID
  package var resource: Resource
  package var verdict: Verdict
  /// The largest number of cpus or bytes that a job has requested, or 0 if none requested any.
  package var requested: Int
  /// The largest number of cpus or bytes that a single job has used.
  package var used: Int
  /// The recommended number of cpus or bytes to request.
  package var proposed: Int
  /// The number of jobs whose usage the cluster measured.
  package var jobs: Int
  /// The number of jobs that ran out of memory.
  package var failed: Int

  /// The share of the requested memory that jobs should use. Below this range the request is too large, above it too
  /// small.
  private static let usual = 0.5...0.9
  /// The ratio of the recommended amount of memory to the amount used.
  private static let spare = 1.25
  /// The multiple to which recommended amounts of memory are rounded up, in bytes.
  private static let grainBytes = 64 << 20
  /// The minimum duration of a job, in milliseconds, for its processor time to be meaningful.
  private static let shortestMilliseconds = 1000

  /// Returns the recommendations for all jobs of a run, by step.
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
      // The job was killed because it needed more memory than it had, so the required amount is unknown.
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

  /// The recommendation as a sentence, such as `'train' asks for 8GiB of memory and took 1.1GiB at most (3 jobs); write
  /// 'memory: 1408MiB'`.
  package var text: String {
    let count = jobs.counted("job")
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

/// A job in the report of a run: one attempt of a step or item on a cluster.
package struct ReportedJob: Sendable, Hashable {
  package var step: StepID
  package var requested: MachineResources
  /// The state as reported by the cluster, or nil if it is unknown.
  package var state: String?
  /// The time for which the job's resources were allocated, or nil if it is unknown.
  package var elapsedMilliseconds: Int?
  /// The processor time used by the job, or nil if it is unknown.
  package var cpuMilliseconds: Int?
  /// The maximum memory used by all processes of the job together, or nil if it is unknown.
  package var memoryBytes: Int?

  /// Creates a job about which the cluster has not reported anything.
  package init(step: StepID, requested: MachineResources) {
    self.step = step
    self.requested = requested
  }

  /// Reads a job from a report. Returns nil if the value does not describe a job.
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
