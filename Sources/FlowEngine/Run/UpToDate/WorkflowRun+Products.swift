import FlowExpressions
import FlowModel
import FlowPlatform

// Expressions such as `steps.clean.products` read the products of steps.
extension WorkflowRun {
  /// True if an expression may read the products of the step.
  func readsProducts(of step: StepIndex) -> Bool {
    stepsWithReadProducts.withLock { known in
      let steps = known ?? prepared.stepsWithReadProducts(names)
      known = steps
      return steps.contains(step)
    }
  }

  /// Stores the products of a step or item, if an expression reads them.
  func keepProducts(of instance: StepIndex, _ check: UpToDateCheck) {
    guard readsProducts(of: instances.owner(of: instance)) else { return }
    let made = check.madePaths
    state.withLock { state in
      if let (owner, item) = instances.item(of: instance) {
        state.fanOuts[owner]?.products[item] = made
      } else {
        state.products[instance] = Self.products([made])
      }
    }
  }

  /// Returns the products of all items as a single list, in the order of the items.
  static func products(_ items: [[String]]) -> Value { .array(items.flatMap { $0.map { .string($0) } }) }

  /// Returns the products of items from their last success, by index.
  ///
  /// - Parameter keys: The keys of the items' records.
  func recordedProducts(ofItems keys: [UInt64], of step: StepIndex) -> [Int: [String]] {
    let stamps = ItemStamps(of: idInAll(of: step), in: run.dataFolder, reads: true)
    var products: [Int: [String]] = [:]
    for (index, key) in keys.enumerated() {
      if let stamp = stamps[key], !stamp.isOfFailure { products[index] = stamp.productPaths }
    }
    return products
  }

  /// Finds the products of steps that finished in an earlier process of a resumed run.
  func recallProducts() {
    let steps = prepared.graph.workflow.steps
    recallTemporaries()
    for step in prepared.graph.steps(stating: .preparation) where !steps[Int(step)].options.produces.isEmpty {
      guard readsProducts(of: step), let files = prepared.detail(of: step)?.files else { continue }
      let (scope, hasEnded) = state.withLock { state in
        let reading = state.plan[step]
        return (self.scope(step, state), reading.outcome == .success || reading.reason == .upToDate)
      }
      guard hasEnded else { continue }
      let products: Value
      if steps[Int(step)].options.fanOut != nil {
        guard let values = try? survey(step, checksItems: false).values else { continue }
        let recorded = recordedProducts(ofItems: values.recordKeys, of: step)
        products = Self.products(
          values.indices.map { index in
            var scope = scope
            scope.item = values.item(index)
            return recorded[index] ?? existing(try? files.evaluate(in: scope).makes, of: step)
          })
      } else if let stamp = StepStamp(of: idInAll(of: step), in: run.dataFolder), !stamp.isOfFailure {
        products = Self.products([stamp.productPaths])
      } else {
        products = Self.products([existing(try? files.evaluate(in: scope).makes, of: step)])
      }
      state.withLock { $0.products[step] = products }
    }
  }

  /// Returns the paths of the products that exist now.
  private func existing(_ makes: [NamedFiles]?, of step: StepIndex) -> [String] {
    var memo = FileMemo(in: workflowFolder(of: step), remembers: false)
    return FileLook(makes ?? [], known: [], &memo).stamps.filter { $0.bytes >= 0 }.map(\.path)
  }
}

extension ItemChecks {
  /// Returns the products of up-to-date items, by index.
  ///
  /// - Parameter all: True to return the products of all items. In a resumed run, items that an earlier process has
  ///   finished do not run again.
  func recordedProducts(_ findings: [UpToDateCheck.Finding?], ofAll all: Bool) -> [Int: [String]] {
    var products: [Int: [String]] = [:]
    for (index, finding) in findings.enumerated() {
      guard let item = items[index], let stamp = stamps[item.key], !stamp.isOfFailure else { continue }
      if case .upToDate = finding {
        products[index] = stamp.productPaths
      } else if all {
        products[index] = stamp.productPaths
      }
    }
    return products
  }
}

extension PreparedWorkflow {
  /// Returns the steps whose products an expression may read.
  fileprivate func stepsWithReadProducts(_ names: StepNames) -> Set<StepIndex> {
    let workflow = graph.workflow
    let makers = graph.steps(stating: .preparation).filter { !workflow.steps[Int($0)].options.produces.isEmpty }
    guard !makers.isEmpty else { return [] }
    var read: Set<StepIndex> = []
    func note(_ references: [ContextReference], _ prefix: String) {
      for reference in references {
        guard let id = reference.path.first else {
          read.formUnion(makers)
          continue
        }
        if reference.path.count > 1, reference.path[1].lowercased() != "products" { continue }
        if let step = names[prefix + id] { read.insert(step) }
      }
    }
    note(Value.object(workflow.outputs).stepReferences(workflow.texts), "")
    for (index, step) in workflow.steps.enumerated() {
      let scope = workflow.scope(of: StepIndex(index))
      note(step.stepReferences(workflow.texts), scope.map { workflow.scopes[$0].prefix } ?? "")
    }
    return read.intersection(makers)
  }
}
