import FlowExpressions
import FlowModel
import FlowPluginKit

/// The items of a fan-out with their outputs.
struct RunFanOut: Sendable {
  var values: FanOutValues
  var outputs: [Int: ValueObject] = [:]
  /// The approximate size of ``outputs`` as JSON, in bytes.
  var bytes = 0
  /// The products of each item, by index. Empty unless an expression reads them.
  var products: [Int: [String]] = [:]
  /// The files that each item reads and produces, or nil if the step declares none.
  var checks: ItemChecks?
  private var recordKeys: [UInt64] = []

  init(values: FanOutValues) { self.values = values }

  /// Returns the name of an item's record in the data folder, or nil if there is no such item. It does not depend on
  /// the item's position in the list, and differs even for equal items.
  mutating func recordKey(of item: Int) -> UInt64? {
    if recordKeys.count != values.count { recordKeys = values.recordKeys }
    return recordKeys.indices.contains(item) ? recordKeys[item] : nil
  }
}

// The items of fan-outs, and their outputs.
extension WorkflowRun {
  /// Determines the items of a fan-out. If the step's `if` reads the item, evaluates it for each.
  func expand(_ step: StepIndex, _ state: inout RunState) -> Expansion {
    guard let fanOut = prepared.detail(of: step)?.fanOut else { return .items(FanOutItems(count: 0)) }
    let values: FanOutValues
    do throws(StepFailure) {
      values = try fanOut.values(in: scope(step, state))
    } catch {
      return .fail(hidden(error))
    }
    return .items(storeItems(values, refused: refusals(of: step, values, state), of: step, &state))
  }

  /// Returns a decision for each item for which the step's `if` is false or invalid. Returns none if the `if` does not
  /// read the item, or if the fan-out follows an event, whose items are decided one by one.
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

  /// Stores the items of a fan-out and, in a resumed run, the recorded results of unchanged items.
  func storeItems(
    _ values: FanOutValues, refused: [Int: Decision], of step: StepIndex, _ state: inout RunState
  ) -> FanOutItems {
    var items = FanOutItems(
      hashes: journal == nil ? Array(repeating: 0, count: values.count) : values.hashes, refused: refused)
    items.detail = options.observer?.detail(ofItems: values.count) ?? .brief
    var own = RunFanOut(values: values)
    // Items that are posts get no names, because only their numbers differ.
    let isOfPosts = prepared.detail(of: step)?.fanOut?.event != nil
    if let origin { recall(step, from: origin.plan, isPosts: isOfPosts, items, &own, &state) }
    state.fanOuts[step] = own
    if let keys = values.keys { state.itemKeys[step] = keys }
    if options.isObserved, !isOfPosts, let names = values.names(mask) {
      state.itemNames[step] = names
      let event = RunEvent.Kind.stepItems(stepID(of: step), names)
      state.undelivered.append(.event(RunEvent(atNanoseconds: state.instant(clock.now), event)))
    }
    instances.add(step, first: state.plan.nextInstance)
    return items
  }

  /// Restores the recorded outputs of unchanged items in a resumed run. Changed items get new idempotency keys.
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
    // When the resume was planned, the number of unchanged items was not known, so report it now.
    guard let kept = plan.keptItems[step], !kept.isCertain, options.isObserved else { return }
    let count = kept.items.count { isPosts || keys.isSame($0, in: items.hashes) }
    let line = RunEvent.Kind.stepLog(
      stepID(of: step), level: .info, stream: nil, message: "keeps \(count) of \(items.hashes.count) items")
    state.undelivered.append(.event(RunEvent(atNanoseconds: state.instant(clock.now), line)))
  }

  /// Adds the item of a post and evaluates the step's `if` for it.
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

  /// Stores the outputs of an item. Returns false if the outputs of all items would become too large, or if `instance`
  /// is not an item.
  func keep(_ outputs: ValueObject, ofItem instance: StepIndex, _ state: inout RunState) -> Bool {
    guard let (step, item) = instances.item(of: instance) else { return false }
    let bytes = Value.object(outputs).roughBytes
    guard state.fanOuts[step]?.bytes ?? 0 <= Limits.fanOutOutputBytes - bytes else { return false }
    state.fanOuts[step]?.outputs[item] = outputs
    state.fanOuts[step]?.bytes += bytes
    withholdOutputs(ofReader: step, &state)
    if journal != nil { state.unwrittenOutputs.items.append((step, item, recordable(outputs, of: step, state))) }
    return true
  }

  /// Combines the outputs of all items into those of the step: an array for each output, with null for items that did
  /// not return it.
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

  /// Returns an array for each output. `given` contains the outputs of each item, or nil for an item without outputs.
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
    // Expressions ignore the case of keys, so a declared name is added only if no output has the same name in another
    // case.
    let known = Set(names.map { $0.lowercased() })
    for name in prepared.outputNames(of: step) where !known.contains(name.lowercased()) { names.append(name) }
    while columns.count < names.count { columns.append(Array(repeating: .null, count: given.count)) }
    var gathered = ValueObject()
    for (name, column) in zip(names, columns) { gathered[name] = .array(column) }
    return gathered
  }
}

extension Value {
  /// The approximate size of the value as JSON, in bytes.
  var roughBytes: Int {
    switch self {
    case .null, .boolean, .integer, .number: 8
    case .string(let text): text.utf8.count + 2
    case .array(let values): values.reduce(2) { $0 + $1.roughBytes }
    case .object(let members): members.reduce(2) { $0 + $1.key.utf8.count + 4 + $1.value.roughBytes }
    }
  }
}
