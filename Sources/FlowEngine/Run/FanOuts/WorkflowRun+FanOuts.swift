import FlowExpressions
import FlowModel
import FlowPluginKit

/// What the items of a step run on, and what they gave.
struct RunFanOut: Sendable {
  var values: FanOutValues
  var outputs: [Int: ValueObject] = [:]
  /// Bytes of ``outputs`` as JSON, give or take escapes.
  var bytes = 0
  /// The products of the items, if expressions read them.
  var products: [Int: [String]] = [:]
  /// What the items read and make; nil: the step does not say.
  var checks: ItemChecks?
  private var recordKeys: [UInt64] = []

  init(values: FanOutValues) { self.values = values }

  /// The name of an item in the data folder, which does not depend on its place in the list. Equal items have different names. Nil if
  /// there is no such item.
  mutating func recordKey(of item: Int) -> UInt64? {
    if recordKeys.count != values.count { recordKeys = values.recordKeys }
    return recordKeys.indices.contains(item) ? recordKeys[item] : nil
  }
}

// Steps that run for several items: what these are, and what happens to what they give.
extension WorkflowRun {
  /// Works out the items of a step, and asks its `if` for each where it reads them.
  func expand(_ step: StepIndex, _ state: inout RunState) -> Expansion {
    guard let fanOut = prepared.detail(of: step)?.fanOut else { return .items(FanOutItems(count: 0)) }
    let values: FanOutValues
    do throws(StepFailure) {
      values = try fanOut.values(in: scope(step, state))
    } catch {
      return .fail(hidden(error))
    }
    return .items(take(values, refused: refusals(of: step, values, state), of: step, &state))
  }

  /// What the `if` of a step says of items for which it does not hold, where it reads them. Of posts the plan asks one by one.
  func refusals(of step: StepIndex, _ values: FanOutValues, _ state: RunState) -> [Int: Decision] {
    guard let detail = prepared.detail(of: step), let fanOut = detail.fanOut, fanOut.asksForEachItem,
      fanOut.event == nil, let condition = detail.condition
    else { return [:] }
    var refused: [Int: Decision] = [:]
    var scope = scope(step, state)
    for index in values.indices {
      scope.item = values.item(index)
      do throws(ExpressionError) {
        if try !condition.isSatisfied(in: scope) { refused[index] = .skip }
      } catch {
        refused[index] = .fail(hidden(StepFailure(error, in: "if")))
      }
    }
    return refused
  }

  /// Takes in what the items of a step are.
  func take(
    _ values: FanOutValues, refused: [Int: Decision], of step: StepIndex, _ state: inout RunState
  ) -> FanOutItems {
    var items = FanOutItems(
      hashes: journal == nil ? Array(repeating: 0, count: values.count) : values.hashes, refused: refused)
    items.detail = options.observer?.detail(ofItems: values.count) ?? .brief
    var own = RunFanOut(values: values)
    // Posts have nothing to distinguish them but their numbers.
    let isOfPosts = prepared.detail(of: step)?.fanOut?.event != nil
    if let origin { recall(step, from: origin.plan, isPosts: isOfPosts, items, &own, &state) }
    state.fanOuts[step] = own
    if let keys = values.keys { state.itemKeys[step] = keys }
    if options.observer != nil, !isOfPosts, let names = values.names(mask) {
      state.itemNames[step] = names
      let event = RunEvent.Kind.stepItems(stepID(of: step), names)
      state.undelivered.append(.event(RunEvent(atNanoseconds: state.instant(clock.now), event)))
    }
    instances.add(step, first: state.plan.nextInstance)
    return items
  }

  /// Takes over what an earlier process knew of items that are the same now; others get new keys.
  private func recall(
    _ step: StepIndex, from plan: ResumePlan, isPosts: Bool, _ items: FanOutItems, _ own: inout RunFanOut,
    _ state: inout RunState
  ) {
    guard let keys = plan.itemKeys[step] else { return }
    state.itemRepetitions[step] = isPosts ? keys.repetitions : keys.repetitions(in: items.hashes)
    for (index, output) in plan.itemOutputs[step] ?? [:] where isPosts || keys.isSame(index, in: items.hashes) {
      own.outputs[index] = output
      own.bytes += Value.object(output).roughBytes
    }
    // How many items are kept was not known when the resume was worked out.
    guard let kept = plan.keptItems[step], !kept.isCertain, options.observer != nil else { return }
    let count = kept.items.count { isPosts || keys.isSame($0, in: items.hashes) }
    let line = RunEvent.Kind.stepLog(
      stepID(of: step), level: .info, stream: nil, message: "keeps \(count) of \(items.hashes.count) items")
    state.undelivered.append(.event(RunEvent(atNanoseconds: state.instant(clock.now), line)))
  }

  /// What the `if` of a step says of an item: a post that has come while it runs.
  func decide(item instance: StepIndex, _ state: inout RunState) -> Decision {
    guard let (step, item) = instances.item(of: instance), let detail = prepared.detail(of: step),
      let fanOut = detail.fanOut,
      let event = fanOut.event, state.fanOuts[step] != nil
    else { return .run }
    var scope = scope(step, state)
    while let count = state.fanOuts[step]?.values.count, count <= item,
      let post = state.plan.post(count + 1, of: event)
    {
      state.fanOuts[step]?.values.append(scope.value(of: post))
    }
    guard fanOut.asksForEachItem, let condition = detail.condition else { return .run }
    scope.item = state.fanOuts[step]?.values.item(item)
    do throws(ExpressionError) {
      return try condition.isSatisfied(in: scope) ? .run : .skip
    } catch {
      return .fail(hidden(StepFailure(error, in: "if")))
    }
  }

  /// Keeps what an item returned; false where all of them together gave too much.
  func keep(_ outputs: ValueObject, ofItem instance: StepIndex, _ state: inout RunState) -> Bool {
    guard let (step, item) = instances.item(of: instance) else { return false }
    let bytes = Value.object(outputs).roughBytes
    guard state.fanOuts[step]?.bytes ?? 0 <= Limits.fanOutOutputBytes - bytes else { return false }
    state.fanOuts[step]?.outputs[item] = outputs
    state.fanOuts[step]?.bytes += bytes
    if journal != nil { state.unwrittenOutputs.items.append((step, item, outputs)) }
    return true
  }

  /// Makes the outputs of a step of those of its items: an array each, in the items' order, null where one gave nothing.
  func gather(_ step: StepIndex, _ state: inout RunState) {
    guard let fanOut = state.fanOuts.removeValue(forKey: step) else { return }
    let given = fanOut.values.indices.map { item in
      state.plan.itemHasOutputs(item, of: step) ? fanOut.outputs[item] : nil
    }
    let gathered = columns(of: step, given)
    if !gathered.isEmpty { keep(gathered, of: step, &state) }
    if !fanOut.products.isEmpty {
      state.products[step] = Self.products(
        fanOut.values.indices.map { state.plan.itemHasOutputs($0, of: step) ? fanOut.products[$0] ?? [] : [] })
    }
    if hasTemporaries { removeTemporariesSoon(at: state.instant(clock.now)) }
    let workflow = prepared.graph.workflow
    if workflow.itemWorkflows[workflow.steps[Int(step)].uses] != nil, options.outer == nil {
      state.itemRecords[step] = Set(fanOut.values.recordKeys)
      state.doubtfulLists[step] = isListDoubtful(of: step, state)
    }
  }

  /// The outputs of a step by those of its items, nil for an item that gave none.
  func columns(of step: StepIndex, _ given: [ValueObject?]) -> ValueObject {
    var columns: [[Value]] = []
    var names = prepared.action(of: step).declaration.outputs.map(\.name)
    func column(of name: String, expectedAt position: Int) -> Int {
      if position < names.count, names[position] == name { return position }
      if let index = names.firstIndex(of: name) { return index }
      names.append(name)
      return names.count - 1
    }
    for (item, outputs) in given.enumerated() {
      for (position, (name, value)) in (outputs ?? [:]).enumerated() {
        let index = column(of: name, expectedAt: position)
        while columns.count < names.count { columns.append(Array(repeating: .null, count: given.count)) }
        columns[index][item] = value
      }
    }
    // Keys are read without regard to case: one that an item gave in another case must not be hidden.
    let known = Set(names.map { $0.lowercased() })
    for name in prepared.outputNames(of: step) where !known.contains(name.lowercased()) { names.append(name) }
    while columns.count < names.count { columns.append(Array(repeating: .null, count: given.count)) }
    var gathered = ValueObject()
    for (name, column) in zip(names, columns) { gathered[name] = .array(column) }
    return gathered
  }
}

extension Value {
  /// The bytes it takes as JSON, give or take escapes.
  var roughBytes: Int {
    switch self {
    case .null, .boolean, .integer, .number: 8
    case .string(let text): text.utf8.count + 2
    case .array(let values): values.reduce(2) { $0 + $1.roughBytes }
    case .object(let members): members.reduce(2) { $0 + $1.key.utf8.count + 4 + $1.value.roughBytes }
    }
  }
}
