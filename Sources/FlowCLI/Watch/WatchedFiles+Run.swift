import FlowCommandKit
import FlowEngine
import FlowExpressions
import FlowModel
import FlowPluginHost
import FlowPluginKit
import FlowSyntax
import FlowSystem
import Synchronization

extension WatchedFiles {
  /// Finds the files that a run reads, according to the workflow and the command line. If the workflow has an error,
  /// the files of the previous result, `before`, are watched as well, because the error may be fixed in one of them.
  init(of request: RunRequest, before: WatchedFiles?) {
    self.init(workflows: [request.file], pluginFolders: request.pluginFolders)
    for argument in request.inputs + [request.launch].compactMap({ $0 }) {
      guard let mark = argument.firstRange(of: "=@") else { continue }
      others.append(String(argument[mark.upperBound...]))
    }
    let named = Mutex<[String]>([])
    var workflow: Workflow?
    if let installation = try? Installation(around: request.file, given: request.pluginFolders) {
      others += installation.external.flatMap(\.decidingFiles)
      if let bytes = FileAccess.included(request.file) {
        let loader = WorkflowLoader(catalog: installation.registry) { path in
          named.withLock { $0.append(path) }
          return FileAccess.included(path)
        }
        workflow = loader.load(bytes: bytes, file: request.file).graph?.workflow
      }
    }
    others += named.withLock { $0 }
    if let workflow {
      let folder = FilePath.folder(of: FilePath.absolute(request.file))
      let run = RunInformation(id: "", dataFolder: folder, workflowFolder: folder)
      // If inputs are invalid, the run ends with an error. Names that depend on them are unknown until they are fixed.
      add(
        workflow, in: folder, inputs: (try? InputArguments.read(request.inputs, for: workflow.inputs, run: run)) ?? [:])
      // The items of a step often have the same patterns.
      (patterns, products) = (Array(Set(patterns)), Array(Set(products)))
    } else if let before {
      others = Array(Set(others).union(before.others))
      patterns = before.patterns
      products = before.products
    }
    for (_, path) in request.outputs.files {
      products.append(Pattern(texts: [PatternText.quoted(FilePath.absolute(path))], folder: ""))
    }
  }

  private mutating func add(_ workflow: Workflow, in folder: String, inputs: ValueObject) {
    let own = workflow.environmentFiles.compactMap {
      try? EnvironmentFile.name($0.path, workflow.texts, inputs: inputs)
    }
    let variables = own + workflow.scopes.flatMap { scope in scope.environmentFiles.map { scope.path(of: $0.path) } }
    others += variables.map { EnvironmentFile.path(of: $0, in: folder) }
    var scopes: [ValueObject] = []
    func context(_ step: StepIndex) -> (inputs: ValueObject, folder: String) {
      guard let number = workflow.scope(of: step) else { return (["inputs": .object(inputs)], folder) }
      let own = workflow.scopes[number].folder
      return (["inputs": .object(scopes[number])], own.isEmpty ? folder : "\(folder)/\(own)")
    }
    for scope in workflow.scopes {
      let (known, own) = context(scope.entry)
      scopes.append(Self.inputs(of: workflow.steps[Int(scope.entry)], in: workflow, known, own, folder))
    }
    for (index, step) in workflow.steps.enumerated() where step.hasOptions {
      let (known, own) = context(StepIndex(index))
      var items: [ValueObject] = [known]
      if let fanOut = step.options.fanOut {
        if case .files(let texts) = fanOut.source {
          patterns.append(Pattern(texts: Self.evaluated(texts, known, workflow.texts), folder: own))
        }
        items = Self.items(of: fanOut, known, in: own, workflow.texts)
      }
      let (reads, makes) = (step.options.inputsFrom.map(\.pattern), step.options.produces.map(\.pattern))
      for item in items {
        if !reads.isEmpty { patterns.append(Pattern(texts: Self.evaluated(reads, item, workflow.texts), folder: own)) }
        if !makes.isEmpty { products.append(Pattern(texts: Self.evaluated(makes, item, workflow.texts), folder: own)) }
      }
      guard let each = workflow.itemWorkflows[step.uses] else { continue }
      let isFanOut = step.options.fanOut != nil
      for item in items.prefix(Limits.itemWorkflowSteps / max(1, each.workflow.steps.count))
      where !isFanOut || item[ItemContext.item] != nil {
        add(
          each.workflow, in: each.folder.isEmpty ? folder : "\(folder)/\(each.folder)",
          inputs: Self.inputs(of: step, in: workflow, item, own, folder))
      }
    }
  }

  /// Returns those inputs of an included file that are known without a run.
  private static func inputs(
    of step: Step, in workflow: Workflow, _ context: ValueObject, _ own: String, _ home: String
  ) -> ValueObject {
    var known = ValueObject()
    for (name, value) in step.with { known[name] = evaluated(value, context, workflow.texts) }
    let fields = (workflow.includes[step.uses]?.inputs ?? []).filter {
      step.with[$0.name] == nil || known[$0.name] != nil
    }
    let folder = workflow.includeFolders[step.uses] ?? ""
    let run = RunInformation(id: "", dataFolder: home, workflowFolder: own)
    let bound = try? InputBinding.bind(
      known, to: fields, run: run, defaultsIn: folder.isEmpty ? home : "\(home)/\(folder)")
    return bound ?? known
  }

  /// Evaluates a value that may contain expressions. Returns nil if it is unknown without a run.
  private static func evaluated(_ value: Value, _ context: ValueObject, _ texts: WorkflowTexts) -> Value? {
    switch value {
    case .string(let text):
      guard Template.containsExpression(text) else { return value }
      return (try? texts.template(text)).flatMap { try? $0.evaluate(in: FixedContext(context)) }
    case .array(let values):
      let known = values.compactMap { evaluated($0, context, texts) }
      return known.count == values.count ? .array(known) : nil
    case .object(let members):
      var known = ValueObject()
      for (name, value) in members {
        guard let value = evaluated(value, context, texts) else { return nil }
        known[name] = value
      }
      return .object(known)
    default: return value
    }
  }

  /// Evaluates a value. Returns nil if one of its expressions fails or reads a context that is unknown without a run.
  private static func known(_ value: Value, _ context: ValueObject, _ texts: WorkflowTexts) -> Value? {
    readsOnly(value, context, texts) ? evaluated(value, context, texts) : nil
  }

  /// True if all contexts that the expressions of a value read are in `context`.
  private static func readsOnly(_ value: Value, _ context: ValueObject, _ texts: WorkflowTexts) -> Bool {
    switch value {
    case .string(let text):
      guard Template.containsExpression(text), let template = try? texts.template(text) else { return true }
      return template.expressions.flatMap(\.expression.references).allSatisfy { context[$0.name.lowercased()] != nil }
    case .array(let values): return values.allSatisfy { readsOnly($0, context, texts) }
    case .object(let members): return members.allSatisfy { readsOnly($0.value, context, texts) }
    default: return true
    }
  }

  /// Returns a context for evaluating the expressions of each item. For items that are unknown without a run, returns
  /// a context without an item.
  private static func items(
    of fanOut: FanOut, _ known: ValueObject, in folder: String, _ texts: WorkflowTexts
  ) -> [ValueObject] {
    var values: [Value?] = [nil]
    var keys: [String]?
    switch fanOut.source {
    case .items(.array(let elements)): values = elements.map { Self.known($0, known, texts) }
    case .items(let list):
      switch Self.known(list, known, texts) {
      case .array(let elements)?: values = elements
      case .object(let members)?:
        values = members.map { $0.value }
        keys = members.map { $0.key }
      default: break
      }
    case .axes(let axes, let exclude, let include):
      guard case .object(let lists)? = Self.known(.object(axes), known, texts),
        let combinations = FanOut.combinations(
          of: lists, without: exclude.compactMap { Self.known($0, known, texts) },
          with: include.compactMap { Self.known($0, known, texts) })
      else { break }
      values = combinations
    case .files(let patterns):
      values = FilePatterns(evaluated(patterns, known, texts)).files(in: folder, limit: Limits.items).map {
        FileItem.value(of: $0)
      }
    case .posts: break
    }
    return values.enumerated().map { index, value in
      guard let value else { return known }
      var context = known
      context[ItemContext.item] = value
      context[ItemContext.index] = .integer(index)
      if let keys { context[ItemContext.key] = .string(keys[index]) }
      return context
    }
  }

  /// Returns the evaluated patterns, without those that cannot be evaluated or read an item that is unknown.
  private static func evaluated(
    _ patterns: [String], _ context: ValueObject, _ texts: WorkflowTexts
  ) -> [String] {
    patterns.flatMap { text -> [String] in
      guard Template.containsExpression(text) else { return [text] }
      guard let template = try? texts.template(text) else { return [] }
      let names = template.expressions.flatMap(\.expression.references).map { $0.name.lowercased() }
      guard names.allSatisfy({ !ItemContext.names.contains($0) || context[$0] != nil }) else { return [] }
      let value = try? template.evaluate(in: FixedContext(context), quoting: PatternText.quoted)
      return (value?.arrayValue ?? [value ?? .null]).compactMap(\.stringValue)
    }
  }
}
