import FlowDiagnostics
import FlowExpressions
import FlowModel
import FlowPlatform

extension WorkflowCheck {
  /// Reports `inputs-from` and `produces` in steps that are never up to date: steps that run for posts, and steps whose
  /// action has no lasting effect.
  mutating func checkUpToDate() {
    for step in workflow.steps.indices where workflow.steps[step].hasOptions {
      let options = workflow.steps[step].options
      guard !options.inputsFrom.isEmpty || !options.produces.isEmpty, !isSettled else { continue }
      let key = options.inputsFrom.isEmpty ? StepKey.produces : .inputsFrom
      guard let member = tree.member(key.rawValue, of: locations.steps[step].value) else { continue }
      let declaration = actions.declaration(ofStep: step)
      if options.fanOut?.event != nil {
        report(
          .conflictingKeys, "'\(key.rawValue)' cannot stand next to 'foreach' for the posts of an event",
          at: tree.span(member.key), help: "each post runs the step; let its command check what is up to date")
      } else if let declaration, declaration.actsOnProcess {
        report(
          .conflictingKeys, "'\(declaration.name)' has no lasting effect, so the step can never be up to date",
          at: tree.span(member.key), related: [.init(span(.uses, of: step), "it is used here")],
          help: "remove '\(key.rawValue)'")
      }
      checkProducts(of: step, options)
    }
  }

  /// Reports a file that more than one item of a fan-out would produce.
  private mutating func checkProducts(of step: Int, _ options: StepOptions) {
    guard let fanOut = options.fanOut, fanOut.event == nil, fanOut.literalCount ?? 2 > 1,
      let node = node(.produces, of: step)
    else { return }
    for element in tree.elements(node) {
      let element = pathNode(element)
      guard let text = tree.text(of: element), !PatternText.isExclusion(text) else { continue }
      let isOfItem =
        Template.containsExpression(text)
        && (try? workflow.texts.template(text))?.expressions.contains { _, expression in
          expression.references.contains { ItemContext.names.contains($0.name.lowercased()) }
        } ?? true
      if isOfItem { continue }
      report(
        .conflictingKeys, "each item of step '\(name(step))' would produce '\(text)'", at: tree.span(element),
        related: [.init(span(.foreach, of: step), "it runs for several items")],
        help: fanOut.isOfFiles
          ? "use the item in the path, such as 'out/${{ item.stem }}.txt'"
          : "use the item in the path, such as 'out/${{ index }}.txt'")
    }
  }

  /// Reports files that more than one step produces.
  mutating func checkSameProducts() {
    for conflict in SameProducts.conflicts(in: workflow) where !isSettled {
      let own = conflict.diagnostic(
        name(conflict.first), name(conflict.second), at: span(.produces, of: conflict.second),
        related: [.init(span(.produces, of: conflict.first), "'\(name(conflict.first))' produces it here")])
      report(own.code, own.message, at: own.span, related: own.related, help: own.help)
    }
  }

  /// Returns the node that contains a file's path. A file is written as a path or as a mapping with `path`.
  func pathNode(_ node: NodeID) -> NodeID {
    tree.kind(node) == .mapping ? tree.member(FileKey.path.rawValue, of: node)?.value ?? node : node
  }

  /// Reports steps that read products of another step if neither depends on the other, so that their order is
  /// undefined.
  mutating func checkFileOrder() {
    for node in FileFlow(workflow).nodes where !node.makers.isEmpty {
      for reader in node.readers {
        for maker in node.makers where maker != reader && !isDisabled(maker) && !isDisabled(reader) {
          if isSettled || reaches(maker, from: reader) || reaches(reader, from: maker) { continue }
          let key: StepKey =
            workflow.steps[reader].options.inputsFrom.isEmpty ? .foreach : .inputsFrom
          report(
            .fileWithoutNeed,
            "step '\(name(reader))' reads '\(node.text)', which '\(name(maker))' produces, but does not need it",
            at: span(key, of: reader),
            related: [.init(span(.produces, of: maker), "'\(name(maker))' produces it here")],
            help: "add '\(name(maker))' to its dependencies, so that it runs after the file is there")
        }
      }
    }
  }
}

extension FanOut {
  /// True if the items come from `files`.
  fileprivate var isOfFiles: Bool { if case .files = source { true } else { false } }
}
