import FlowTestKit

/// A random workflow of commands, fan-outs and included workflows. The expected outcomes of its steps are computed only
/// from the rules in docs/format.md, docs/foreach.md and docs/includes.md.
struct IncludeModel {
  enum Body {
    case command(status: Int)
    case fanOut(statuses: [Int], parallel: Int, failFast: Bool, takesOnlyGood: Bool)
    case include(IncludeModel)
  }

  struct ModelStep {
    var id: String
    var body: Body
    var needs: [Int] = []
    var condition: Condition?
    var isOptional = false
    var isEnabled = true
  }

  /// The value of a step's `if`, and its result depending on whether the dependencies are satisfied.
  enum Condition: String, CaseIterable {
    case always = "always()"
    case failure = "failure()"
    case notSuccess = "!success()"
    case either = "success() || failure()"
    case success = "success()"
    case cancelled = "cancelled()"
    case never = "always() && false"
    case no = "false"
    case yes = "true"

    func holds(behindSatisfied isSatisfied: Bool) -> Bool {
      switch self {
      case .always, .either: true
      case .failure, .notSuccess: !isSatisfied
      case .success, .yes: isSatisfied
      case .cancelled, .never, .no: false
      }
    }
  }

  /// The end of a step: its outcome, or the reason why it is skipped.
  struct End: Equatable {
    var word: String
    var isSatisfied: Bool
  }

  let name: String
  var steps: [ModelStep] = []

  /// Creates a random workflow. It includes others up to three levels deep.
  init(name: String, depth: Int = 0, _ random: inout SeededGenerator) {
    self.name = name
    for index in 0..<Int.random(in: 1...(depth == 0 ? 7 : 4), using: &random) {
      var step = ModelStep(id: "s\(index)", body: .command(status: random.chance(20) ? 1 : 0))
      step.needs = (0..<index).filter { _ in random.chance(35) }
      if random.chance(50) { step.condition = random.pick(Condition.allCases) }
      step.isOptional = random.chance(20)
      step.isEnabled = !random.chance(10)
      if depth < 3, random.chance(20) {
        step.body = .include(IncludeModel(name: "\(name)-\(index)", depth: depth + 1, &random))
      } else if random.chance(25) {
        let takesOnlyGood = step.condition == nil && random.chance(30)
        step.body = .fanOut(
          statuses: (0..<random.pick([0, 1, 2, 3, 5])).map { _ in random.chance(25) ? 1 : 0 },
          parallel: random.pick([1, 2]), failFast: random.chance(50), takesOnlyGood: takesOnlyGood)
      }
      steps.append(step)
    }
  }

  /// The files of the workflow and of those that it includes, by name.
  var files: [String: String] {
    var files = ["\(name).yaml": "name: \(name)\nsteps:\n" + steps.map(yaml).joined()]
    for case .include(let inner) in steps.map(\.body) { files.merge(inner.files) { first, _ in first } }
    return files
  }

  private func yaml(_ step: ModelStep) -> String {
    var lines = ["  \(step.id):"]
    var condition = step.condition.map { "${{ \($0.rawValue) }}" }
    switch step.body {
    case .command(let status): lines.append("    run: exit \(status)")
    case .fanOut(let statuses, let parallel, let failFast, let takesOnlyGood):
      lines.append("    run: 'exit $STATUS'\n    env: { STATUS: \"${{ item }}\" }")
      lines.append("    foreach: { items: \(statuses), parallel: \(parallel), fail-fast: \(failFast) }")
      if takesOnlyGood { condition = "${{ item == 0 }}" }
    case .include(let inner): lines.append("    uses: ./\(inner.name).yaml")
    }
    if let condition { lines.append("    if: \(condition)") }
    if !step.needs.isEmpty { lines.append("    needs: [\(step.needs.map { steps[$0].id }.joined(separator: ", "))]") }
    if step.isOptional { lines.append("    optional: true") }
    if !step.isEnabled { lines.append("    enabled: false") }
    return lines.joined(separator: "\n") + "\n"
  }

  // MARK: The expected outcomes

  /// Adds the end of every step to `ends`, by the step's full id. Returns the ends of this workflow's own steps.
  @discardableResult
  func play(under prefix: String = "", into ends: inout [String: End]) -> [End] {
    var own: [End] = []
    for step in steps {
      let end = end(of: step, behind: step.needs.map { own[$0] }, under: prefix, into: &ends)
      ends[prefix + step.id] = end
      own.append(end)
    }
    return own
  }

  private func end(
    of step: ModelStep, behind needs: [End], under prefix: String, into ends: inout [String: End]
  ) -> End {
    let path = prefix + step.id
    if let reason = reasonForSkipping(step, behind: needs) {
      if case .include(let inner) = step.body { inner.skip(reason, under: path + "/", into: &ends) }
      return reason
    }
    let hasFailed: Bool
    switch step.body {
    case .command(let status): hasFailed = status != 0
    case .fanOut(let statuses, _, _, let takesOnlyGood):
      // If an optional step has failed items, the step itself succeeds.
      hasFailed = !takesOnlyGood && statuses.contains(1) && !step.isOptional
    case .include(let inner): hasFailed = inner.leavesFailure(inner.play(under: path + "/", into: &ends))
    }
    return End(word: hasFailed ? "failure" : "success", isSatisfied: !hasFailed || step.isOptional)
  }

  private func reasonForSkipping(_ step: ModelStep, behind needs: [End]) -> End? {
    let isSatisfied = needs.allSatisfy(\.isSatisfied)
    if !step.isEnabled { return End(word: "disabled", isSatisfied: true) }
    if (step.condition ?? .success).holds(behindSatisfied: isSatisfied) { return nil }
    // A step's own `if` is the reason for skipping it only if all dependencies are satisfied.
    return isSatisfied
      ? End(word: "condition", isSatisfied: true) : End(word: "upstream-failed", isSatisfied: false)
  }

  private func skip(_ end: End, under prefix: String, into ends: inout [String: End]) {
    for step in steps {
      ends[prefix + step.id] = end
      if case .include(let inner) = step.body { inner.skip(end, under: prefix + step.id + "/", into: &ends) }
    }
  }

  /// True if a step that is not optional has failed, even if other steps have handled the failure.
  private func leavesFailure(_ ends: [End]) -> Bool {
    steps.indices.contains { ends[$0].word == "failure" && !steps[$0].isOptional }
  }
}
