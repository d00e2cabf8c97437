import FlowExpressions
import FlowModel
import FlowPlatform

/// The files that steps exchange, according to `foreach`, `inputs-from` and `produces`.
package struct FileFlow {
  /// A path or pattern with the steps that produce or read matching files.
  package struct Node {
    /// The path or pattern as written, relative to the workflow's folder.
    package var text: String
    package var makers: [Int] = []
    package var readers: [Int] = []
    fileprivate var shapes: [PathShape]

    /// The normalized path, or nil for a pattern.
    var path: String? { shapes.count == 1 ? shapes[0].literal : nil }
  }

  /// The products of all steps, followed by the inputs that no step produces, each in file order.
  package private(set) var nodes: [Node] = []
  /// The number of comparisons of two patterns that are still allowed.
  private var budget = 1_000_000

  package init(_ workflow: Workflow) {
    var numbers: [ByteName: Int] = [:]
    var literals: [PathShape: [Int]] = [:]
    var open: [Int] = []
    var inputs: [Input] = []
    var ids = StepsByID(workflow)
    let texts = workflow.texts
    for step in workflow.steps.indices where workflow.steps[step].hasOptions {
      let options = workflow.steps[step].options
      guard !options.inputsFrom.isEmpty || !options.produces.isEmpty || options.fanOut != nil else { continue }
      let folder = workflow.scope(of: StepIndex(step)).map { workflow.scopes[$0].folder } ?? ""
      let fields = workflow.scope(of: StepIndex(step)) == nil ? workflow.inputs : []
      func described(_ pattern: String) -> (text: String, shapes: [PathShape]) {
        let shapes = PathShape.all(of: pattern, fanOut: options.fanOut, inputs: fields, texts)
        guard !folder.isEmpty, !FilePath.isAbsolute(pattern) else { return (pattern, shapes) }
        return ("\(folder)/\(pattern)", shapes.map { $0.inside(folder) })
      }
      for pattern in options.produces.map(\.pattern) where !PatternText.isExclusion(pattern) {
        let (text, shapes) = described(pattern)
        if numbers[ByteName(text)] == nil {
          numbers[ByteName(text)] = nodes.count
          if shapes.count == 1, shapes[0].isLiteral {
            literals[shapes[0], default: []].append(nodes.count)
          } else {
            open.append(nodes.count)
          }
          nodes.append(Node(text: text, shapes: shapes))
        }
        nodes[numbers[ByteName(text)]!].makers.append(step)
      }
      var reads = options.inputsFrom.map(\.pattern)
      if case .files(let patterns)? = options.fanOut?.source { reads = patterns + reads.filter { !$0.isItemPath } }
      for (index, pattern) in reads.enumerated() where !PatternText.isExclusion(pattern) {
        if let maker = ids.maker(ofProducts: pattern, readBy: step) {
          let made = workflow.steps[maker].options
          for product in made.produces.map(\.pattern) where !PatternText.isExclusion(product) {
            let text = folder.isEmpty || FilePath.isAbsolute(product) ? product : "\(folder)/\(product)"
            let shapes = PathShape.all(of: product, fanOut: made.fanOut, inputs: fields, texts).map {
              folder.isEmpty || FilePath.isAbsolute(product) ? $0 : $0.inside(folder)
            }
            inputs.append(Input(step: step, text: text, shapes: shapes, excluded: []))
          }
          continue
        }
        let exclusions = reads[(index + 1)...].filter(PatternText.isExclusion).map(PatternText.withoutMark)
        let excluded = exclusions.flatMap { described($0).shapes }
        let known = exclusions.filter { !Template.containsExpression($0) }.flatMap { described($0).shapes }
        let (text, shapes) = described(pattern)
        inputs.append(Input(step: step, text: text, shapes: shapes, excluded: excluded, wholly: known))
      }
    }
    let made = nodes.count
    for input in inputs {
      let isLiteral = input.shapes.allSatisfy(\.isLiteral)
      var found = isLiteral ? open : Array(0..<made)
      for shape in input.shapes where isLiteral { found += literals[shape] ?? [] }
      budget -= found.count
      guard budget > 0 else { return }
      var isMade = false
      for node in found
      where nodes[node].text.hasSameBytes(as: input.text)
        || input.shapes.contains(where: { own in nodes[node].shapes.contains { own.overlaps($0) } })
          && !input.excludes(nodes[node].shapes)
      {
        isMade = true
        if nodes[node].readers.last != input.step { nodes[node].readers.append(input.step) }
      }
      if isMade { continue }
      if let number = numbers[ByteName(input.text)] {
        if nodes[number].readers.last != input.step { nodes[number].readers.append(input.step) }
      } else {
        numbers[ByteName(input.text)] = nodes.count
        nodes.append(Node(text: input.text, readers: [input.step], shapes: input.shapes))
      }
    }
  }

  private struct Input {
    var step: Int
    var text: String
    var shapes: [PathShape]
    /// The exclusions that follow this pattern in the list.
    var excluded: [PathShape]
    /// The exclusions without expressions. It is certain which files these match.
    var wholly: [PathShape] = []

    /// True if the exclusions cover all of these files.
    func excludes(_ files: [PathShape]) -> Bool {
      files.allSatisfy { file in
        file.isLiteral ? excluded.contains { $0.overlaps(file) } : wholly.contains { $0.covers(file) }
      }
    }
  }
}

/// Finds the step that is meant by a pattern such as `${{ steps.build.products }}`.
private struct StepsByID {
  private let workflow: Workflow
  private var indices: [String: Int] = [:]

  init(_ workflow: Workflow) { self.workflow = workflow }

  /// Returns the step whose `products` a pattern refers to. Returns nil for any other pattern, or if there is no such
  /// step.
  mutating func maker(ofProducts pattern: String, readBy step: Int) -> Int? {
    guard Template.containsExpression(pattern), let template = try? workflow.texts.template(pattern),
      template.isSingleExpression
    else { return nil }
    let expression = template.expressions[0].expression
    guard let reference = expression.references.first, expression.references.count == 1, reference.isWhole,
      reference.name.lowercased() == "steps", reference.path.count == 2, reference.path[1].lowercased() == "products",
      !expression.source.contains("(")
    else { return nil }
    if indices.isEmpty {
      for (index, step) in workflow.steps.enumerated() { indices[step.id.text.lowercased()] = index }
    }
    let prefix = workflow.scope(of: StepIndex(step)).map { workflow.scopes[$0].prefix } ?? ""
    return indices[(prefix + reference.path[0]).lowercased()]
  }
}

extension String {
  /// True for `${{ item.path }}`. The files are then the items of the fan-out.
  fileprivate var isItemPath: Bool {
    filter { !$0.isWhitespace }.lowercased() == "${{item.path}}"
  }
}
