import FlowModel
import FlowPluginKit

extension PluginConformance {
  /// The outcome of a call. `late` means that the call exceeded its time limit.
  enum Ending: Sendable {
    case outputs(ValueObject)
    case failure(any Error)
    case late
  }

  /// The maximum number of concurrent calls of a case, and the approximate total time for them. A program may answer
  /// calls sequentially or concurrently.
  private static let (overlap, overlapTime) = (16, Duration.seconds(30))

  /// Calls an action and waits for at most `limit` for the outcome. If `cancelled` is true, cancels the call after its
  /// start and waits for at most `grace`.
  func call(
    _ run: CheckedCall, _ inputs: ValueObject, cancelled: Bool = false, within limit: Duration? = nil
  ) async -> Ending {
    let ending = OneShot<Ending>()
    let work = Task.detached {
      do { ending.finish(.outputs(try await run.outputs(with: inputs))) } catch { ending.finish(.failure(error)) }
    }
    let limit = cancelled ? grace : limit ?? callDeadline
    let deadline = Task.detached {
      try await Task.sleep(for: limit)
      ending.finish(.late)
    }
    if cancelled { run.cancel() }
    let end = await ending.wait()
    deadline.cancel()
    if case .late = end { work.cancel() }
    return end
  }

  private func run(_ action: RegisteredAction) -> CheckedCall {
    CheckedCall(action, in: folder, reading: sourceFolder)
  }

  private func action(_ name: String) -> RegisteredAction? { actions.first { $0.declaration.name == name } }

  /// Checks that the program starts and answers `initialize`.
  func startProblems() async -> Problems {
    guard let error = await start() else { return [] }
    return [(name, error.message)]
  }

  func unfitInputProblems() async -> Problems {
    var problems: Problems = []
    for action in actions {
      for (field, inputs) in Self.unfitInputs(for: action.declaration) {
        let place = "\(action.declaration.name), input '\(field)'"
        switch await call(run(action), inputs) {
        case .failure(let error as TypeMismatch) where error.isIn(member: field): break
        case .failure(let error): problems.append((place, "it is rejected without its name: \(error)"))
        case .outputs: problems.append((place, "\(inputs[field]?.shortText ?? "nothing") is accepted for it"))
        case .late: problems.append((place, "an invalid value is not rejected within the deadline"))
        }
      }
    }
    return problems
  }

  /// Returns invalid inputs, each with the name of the input that is missing or has the wrong type. All other inputs
  /// are valid.
  private static func unfitInputs(for declaration: ActionDeclaration) -> [(String, ValueObject)] {
    let fitting = ValueObject(
      declaration.inputs.filter(\.isRequired).map { ($0.name, $0.defaultValue ?? sample(of: $0.type)) })
    return declaration.inputs.flatMap { field -> [(String, ValueObject)] in
      var cases: [(String, ValueObject)] = []
      if let wrong = [Value.array([[nil]]), .integer(-7), .string("\u{0}")].first(where: {
        field.type.mismatch(of: $0) != nil
      }) {
        var inputs = fitting
        inputs[field.name] = wrong
        cases.append((field.name, inputs))
      }
      if field.isRequired, field.defaultValue == nil {
        var inputs = fitting
        inputs[field.name] = nil
        cases.append((field.name, inputs))
      }
      return cases
    }
  }

  private static func sample(of type: ValueType) -> Value {
    switch type {
    case .string, .path, .any: "sample"
    case .boolean: true
    case .integer, .number: 1
    case .duration: "1ms"
    case .array: []
    case .object(let properties):
      .object(ValueObject((properties ?? []).filter(\.isRequired).map { ($0.name, sample(of: $0.type)) }))
    case .enumeration(let allowed, _): allowed.first ?? nil
    }
  }

  func caseProblems() async -> Problems {
    var problems: Problems = []
    for (number, sample) in cases.enumerated() {
      let place = Self.place(number, sample)
      guard let action = action(sample.action) else {
        problems.append((place, "there is no action '\(sample.action)'"))
        continue
      }
      let run = run(action)
      let ending = await call(run, sample.inputs)
      if let problem = Self.problem(with: ending, of: sample, action.declaration) { problems.append((place, problem)) }
      for event in run.posts
      where !action.declaration.events.contains(event) && action.declaration.eventFromInput == nil {
        problems.append((place, "it posts '\(event)', which it does not declare"))
      }
    }
    return problems
  }

  private static func place(_ number: Int, _ sample: PluginCase) -> String { "case \(number + 1), \(sample.action)" }

  private static func problem(
    with ending: Ending, of sample: PluginCase, _ declaration: ActionDeclaration
  ) -> String? {
    switch (ending, sample.expectation) {
    case (.late, _):
      return "it does not end within the deadline"
    case (.outputs(let outputs), .error(let code)):
      return "expected the error '\(code)', got the outputs \(JSONText.write(.object(outputs)))"
    case (.failure(let error), .outputs):
      return "it fails: \(error)"
    case (.failure(let error), .error(let code)):
      guard let error = error as? ActionError else { return "expected the error '\(code)', got \(error)" }
      guard error.code == code else { return "expected the error '\(code)', got \(error)" }
      let isDeclared = declaration.errors.isEmpty || declaration.errors.contains { $0.code == code }
      return isDeclared ? nil : "it fails with '\(code)', which it does not declare"
    case (.outputs(let outputs), .outputs(let expected)):
      if declaration.outputsFromInput == nil,
        let mismatch = ValueType.object(properties: declaration.outputs).mismatch(of: .object(outputs))
      {
        return "its outputs do not match its declaration: \(mismatch.description)"
      }
      let wrong = expected.first { outputs[$0.key] != $0.value }
      return wrong.map { key, value in
        "'\(key)': expected \(JSONText.write(value)), got \(outputs[key].map { JSONText.write($0) } ?? "nothing")"
      }
    }
  }

  func overlapProblems() async -> Problems {
    var problems: Problems = []
    for (number, sample) in cases.enumerated() {
      guard let action = action(sample.action) else { continue }
      let start = ContinuousClock.now
      // A case that fails even when it runs alone is reported by another rule.
      if Self.problem(with: await call(run(action), sample.inputs), of: sample, action.declaration) != nil { continue }
      let alone = max(ContinuousClock.now - start, .milliseconds(1))
      let calls = min(Self.overlap, max(2, Int(Self.overlapTime / alone)))
      // Allow twice the time that the calls take one after another.
      let limit = callDeadline + alone * (2 * calls)
      let found = await withTaskGroup(of: String?.self) { group in
        for _ in 1...calls {
          group.addTask {
            let ending = await call(run(action), sample.inputs, within: limit)
            return Self.problem(with: ending, of: sample, action.declaration)
          }
        }
        return await group.reduce(into: [String]()) { found, problem in if let problem { found.append(problem) } }
      }
      if let first = found.first {
        problems.append((Self.place(number, sample), "\(found.count) of \(calls) calls at once: \(first)"))
      }
    }
    return problems
  }

  func cancelProblems() async -> Problems {
    var problems: Problems = []
    for (number, sample) in cases.enumerated() {
      guard let action = action(sample.action) else { continue }
      if case .late = await call(run(action), sample.inputs, cancelled: true) {
        problems.append((Self.place(number, sample), "it still runs"))
      }
    }
    return problems
  }
}
