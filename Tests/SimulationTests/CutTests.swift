import FlowEngine
import FlowModel
import FlowStore
import FlowTestKit
import TestSupport
import Testing

/// A run is interrupted at any instant, and resumed by a plan that was restored from the journal entries alone.
struct `An interrupted run` {
  private static let seeds = TestExtent.seeds(2_000, of: 10_000, release: 10_000, long: 100_000)

  /// Checks every interruption of every scenario whose bodies have the same effect if they start again. Services have a
  /// separate rule for restarts, a step's maximum restarts with the step, and a cancellation is not restored.
  @Test(.timeLimit(.minutes(20)), arguments: 0..<8)
  func `an interrupted run ends like an uninterrupted one, regardless of when it is interrupted`(block: Int) throws {
    for seed in Self.seeds where seed % 8 == UInt64(block) { try check(seed) }
  }

  @Test func `600 random scenarios can be interrupted at more than 200 points`() throws {
    var cuts = 0
    var kept = 0
    for seed in UInt64(1)...600 {
      for cut in try Self.cuts(of: RandomScenario.scenario(seed: seed)) {
        cuts += 1
        kept += cut.entries.finished.count
      }
    }
    #expect(cuts > 200 && kept > 400, "\(cuts) cuts, \(kept) steps kept")
  }

  private struct Cut {
    var entries: JournalEntries
    var now: Int
  }

  private static func cuts(of scenario: Scenario) throws -> [Cut] {
    guard isFit(scenario) else { return [] }
    var cuts: [Cut] = []
    var known = -1
    _ = try scenario.simulated(journaling: { entries, now in
      // The last inspection at an instant is complete. If no entry was added since the previous instant, nothing has
      // happened.
      let count = entries.count
      if cuts.last?.now == now { cuts.removeLast() } else if count == known { return }
      known = count
      cuts.append(Cut(entries: entries, now: now))
    })
    return cuts.filter { cut in scenario.activatedAt.map { $0.nanoseconds <= cut.now } ?? true }
  }

  private static func isFit(_ scenario: Scenario) -> Bool {
    scenario.cancelledAt == nil && !scenario.scripts.contains { $0.isService }
      && !scenario.workflow.steps.contains {
        $0.options.deadline?.max != nil || $0.options.retry?.attemptDeadline != nil
          || $0.options.fanOut?.deadline != nil
      }
      // If a step posts again, there are more posts, and a step that runs for posts has more items.
      && !(scenario.workflow.steps.contains { $0.options.fanOut?.event != nil }
        && scenario.scripts.contains { !$0.possibleEvents.isEmpty })
      // With `fail-fast`, the progress of the other items at the time of a failure differs when they start again.
      && !zip(scenario.workflow.steps, scenario.scripts).contains { step, script in
        step.options.fanOut?.isFailFast == true && script.items.contains { !$0.attempts.allSatisfy(\.posts.isEmpty) }
      }
  }

  private func check(_ seed: UInt64) throws {
    let scenario = RandomScenario.scenario(seed: seed)
    let cuts = try Self.cuts(of: scenario)
    guard !cuts.isEmpty else { return }
    let uncut = try scenario.simulated()
    guard uncut.conclusion != nil else { return }
    for cut in cuts {
      let entries = try Self.throughChunks(cut.entries, of: scenario, seed: seed)
      let resumed = try scenario.resumed(with: entries, atNanoseconds: cut.now)
      let differences = Self.differences(uncut, resumed, cut)
      guard !differences.isEmpty else { continue }
      Issue.record(
        "FLOWRUN_SEED=\(seed) cut at \(cut.now):\n\(differences.joined(separator: "\n"))\nin\n\(scenario)")
      return
    }
  }

  /// Writes the journal entries in chunks with random boundaries, and reads them again.
  private static func throughChunks(_ entries: JournalEntries, of scenario: Scenario, seed: UInt64) throws
    -> [JournalEntry]
  {
    var random = SeededGenerator(seed: seed)
    var bodies: [EntryWriter] = [EntryWriter()]
    var written: [JournalEntry] = []
    entries.forEach { entry in
      if random.chance(30) { bodies.append(EntryWriter()) }
      bodies[bodies.count - 1].add(entry)
      written.append(entry)
    }
    var read: [JournalEntry] = []
    for body in bodies {
      let chunk = try RunChunk(RunChunk(.entries, wallMilliseconds: 0, runNanoseconds: 0, body: body.bytes).bytes)
      var reader = EntryReader(chunk.body, stepCount: scenario.workflow.steps.count)
      while let item = try reader.next() { if case .entry(let entry) = item { read.append(entry) } }
    }
    #expect(read == written)
    return read
  }

  private static func differences(_ uncut: Plan, _ resumed: Plan, _ cut: Cut) -> [String] {
    var lines = resumed.problems()
    var kept: [JournalEntry] = []
    cut.entries.forEach { kept.append($0) }
    for index in uncut.graph.workflow.steps.indices {
      let step = StepIndex(index)
      let (left, right) = (uncut[step], resumed[step])
      let id = uncut.graph.workflow.steps[index].id
      if left.outcome != right.outcome || left.reason != right.reason {
        lines.append(
          "\(id): \(left.outcome?.word ?? "-") \(left.reason?.word ?? "-"), resumed "
            + "\(right.outcome?.word ?? "-") \(right.reason?.word ?? "-")")
      }
      for (item, other) in zip(uncut.items(of: step), resumed.items(of: step)) {
        let isKept = kept.contains { $0.isEnd(ofItem: item.index, of: step) }
        guard isKept else { continue }
        if item != other { lines.append("\(id)[\(item.index)] was kept as \(other), not as \(item)") }
        let times = uncut.attemptTimes(of: uncut.instance(ofItem: item.index, of: step))
        let kept = resumed.attemptTimes(of: resumed.instance(ofItem: item.index, of: step))
        if times != kept { lines.append("\(id)[\(item.index)] has the attempts \(kept), not \(times)") }
      }
      guard cut.entries.finished.contains(where: { $0.task.step == step }) else { continue }
      var (one, other) = (left, right)
      // The gate determines whether a step was late, and may open at another time if bodies start again.
      (one.isLate, other.isLate) = (false, false)
      if one != other { lines.append("\(id) was kept as \(other), not as \(one)") }
      let (times, keptTimes) = (uncut.attemptTimes(of: step), resumed.attemptTimes(of: step))
      if times != keptTimes { lines.append("\(id) has the attempts \(keptTimes), not \(times)") }
    }
    let posters = resumed.firstPosts.map { "\($0.event) \($0.poster ?? -1)" }
    for post in uncut.firstPosts
    where post.atNanoseconds < cut.now && !posters.contains("\(post.event) \(post.poster ?? -1)") {
      lines.append("the event '\(post.event)' was posted by \(post.poster ?? -1), and that is not kept")
    }
    if resumed.conclusion == nil { lines.append("it does not end") }
    return lines
  }
}

extension JournalEntry {
  /// True if this entry ends an attempt of the item.
  fileprivate func isEnd(ofItem item: Int, of step: StepIndex) -> Bool {
    guard case .finished(let finished, _) = self, finished.task == TaskInstance(step, item: item) else { return false }
    return finished.outcome != .skipped && finished.outcome != .cancelled
  }
}
