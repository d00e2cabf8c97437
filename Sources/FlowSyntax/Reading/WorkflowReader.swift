import FlowDiagnostics
import FlowExpressions
import FlowModel

/// Reads a workflow from its parsed YAML. The result has all defaults, and ids are resolved.
///
/// Values with errors are reported and skipped, so that one run of the reader finds all errors.
struct WorkflowReader: DocumentReading {
  let tree: NodeTree
  var diagnostics: [Diagnostic] = []
  let catalog: any ActionCatalog

  var workflow = Workflow(name: "", steps: [])
  var locations = WorkflowLocations()
  var actions: ActionTable
  var ids = NameTable(capacity: 0)
  /// The dependencies of all steps in one list: those of the first step, then those of the second, and so on.
  var needs: [StepIndex] = []
  var longDependencies = LongDependencies(start: -1, end: 0)
  /// The names of the queues that the workflow declares. Empty until they have been read.
  private(set) var queueNames: Set<String> = []
  var defaults = StepDefaults()
  /// The folders that commands search before those in the variable `PATH`.
  var searchFolders: [String] = []
  /// The indices of the steps in `finally`.
  var finalSteps = 0..<0
  let stepKeys = KeyTable<StepKey>()
  let retryKeys = KeyTable<RetryKey>()
  let deadlineKeys = KeyTable<DeadlineKey>()

  init(tree: NodeTree, catalog: any ActionCatalog, expressions: ExpressionTable) {
    self.tree = tree
    workflow.parsedExpressions = expressions
    self.catalog = catalog
    actions = ActionTable(catalog: catalog)
  }

  /// Reads the whole workflow. Afterwards, ``workflow`` has all steps that could be read.
  mutating func read() {
    guard let root = tree.root else {
      report(
        .emptyDocument, "the file does not contain a workflow", at: TextSpan(at: 0),
        help: "a workflow has 'name' and 'steps'")
      return
    }
    forEachKey(of: root, KeyTable<WorkflowKey>(), owner: "the workflow", location: root) { reader, key, member in
      reader.locations.keys.append((key, member))
    }
    forgiveForeignSteps(root)
    if let node = locations.value(.name) {
      workflow.name = string(node, "name") ?? ""
      if workflow.name.isEmpty, isString(node) {
        report(.invalidName, "the name of the workflow is empty", at: span(node))
      } else if let rule = Self.rule(brokenBy: workflow.name) {
        report(
          .invalidName, "'\(workflow.name)' cannot be the name of a workflow: \(rule)", at: span(node),
          help: "the data folder of its runs has this name")
      } else if Template.containsExpression(workflow.name) {
        // Runs and data folders are found by the workflow's name, so it must be the same in every run.
        report(
          .contextUnavailable, "the name of a workflow cannot hold an expression", at: span(node),
          help: "write a fixed name; the name of a step may hold inputs")
      }
    }
    workflow.description = locations.value(.description).flatMap { string($0, "description") }
    if let node = locations.value(.inputs) { workflow.inputs = fields(node, "inputs", names: .input) }
    if let node = locations.value(.inputs), workflow.inputs.contains(where: \.isSecret) { checkSecretInputs(node) }
    if let node = locations.value(.secrets) { workflow.secrets = secrets(node) }
    if let node = locations.value(.env) { workflow.environment = environment(node, "env") }
    if let node = locations.value(.environmentFile) { workflow.environmentFiles = environmentFiles(node) }
    if let node = locations.value(.deadline) { workflow.gate = gateDeadline(node) }
    if let node = locations.value(.events) { workflow.events = events(node) }
    if let node = locations.value(.queues) { workflow.queues = queues(node) }
    queueNames = Set(workflow.queues.map(\.name))
    if let node = locations.value(.concurrency) {
      workflow.concurrency = integer(node, 1...Limits.steps, "concurrency")
    }
    if let node = locations.value(.defaults) { readDefaults(node) }
    if let node = locations.value(.path) { searchFolders = folders(node, "path") }
    if let node = locations.value(.outputs) { workflow.outputs = outputs(node) }
    if let node = locations.value(.history) { workflow.keepsHistory = boolean(node, "history") ?? true }
    if let node = locations.value(.logLimit) {
      workflow.logLimitBytes = logLimit(node, "log-limit") ?? workflow.logLimitBytes
    }
    if let node = locations.value(.durable) { workflow.isDurable = boolean(node, "durable") ?? false }
    if workflow.isDurable, !workflow.keepsHistory, let node = locations.value(.history) {
      report(
        .conflictingKeys, "a durable workflow is recorded, so 'history: false' cannot be combined with 'durable: true'",
        at: span(node), help: "remove one of the two")
    }
    if let node = locations.value(.timeout) { workflow.timeout = timeout(node) }
    if let node = locations.value(.cleanup) { workflow.cleanup = cleanup(node) }
    if let node = locations.value(.budgets) { workflow.budgets = budgets(node) }
    if let node = locations.value(.keep) {
      workflow.keepsServices = word(node, "keep", as: KeptPart.self) == .services
    }
    if locations.value(.steps) != nil { readSteps() }
  }

  /// Returns the reason why a workflow's name is invalid, or nil if it is valid.
  private static func rule(brokenBy name: String) -> String? {
    if name.utf8.contains(where: { $0 == UInt8(ascii: "/") }) { return "it has a '/'" }
    if name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
      return "it has a control character"
    }
    if name.utf8.first == UInt8(ascii: ".") { return "it begins with a dot" }
    if name.utf8.first == UInt8(ascii: " ") || name.utf8.last == UInt8(ascii: " ") {
      return "it begins or ends with a space"
    }
    let count = name.utf8.count
    return count > Limits.workflowNameBytes ? "it has \(count) bytes; the limit is \(Limits.workflowNameBytes)" : nil
  }

  private mutating func budgets(_ node: NodeID) -> [BudgetRule] {
    guard tree.kind(node) == .sequence, !tree.elements(node).isEmpty else {
      reportType(node, "budgets", expected: "a list of at least one rule", help: "write budgets: ['p95(gate) <= 2.5s']")
      return []
    }
    var rules: [BudgetRule] = []
    for element in tree.elements(node) {
      guard let text = string(element, "each of budgets") else { continue }
      do throws(BudgetRule.RuleProblem) {
        let rule = try BudgetRule(parsing: text)
        guard !rule.readsBaseline else {
          throw BudgetRule.RuleProblem(help: "only 'flowrun compare' has a baseline")
        }
        rules.append(rule)
      } catch {
        report(.invalidBudget, "'\(text)' is not a budget", at: span(element), help: error.help)
      }
    }
    if rules.count > Limits.budgets {
      report(.outOfRange, "there are \(rules.count) budgets; the limit is \(Limits.budgets)", at: span(node))
    }
    return rules
  }

  mutating func fileNames(_ node: NodeID, _ owner: Owner) -> [String] {
    let isList = tree.kind(node) == .sequence
    return nameNodes(node, owner, "the path of a file").map { element in
      let name = tree.text(element)
      if name.isEmpty || name.utf8.contains(0) {
        reportType(element, isList ? .part("each element", of: owner) : owner, expected: "the path of a file")
      }
      return name
    }
  }

  /// Reads `env-file`: a path, a mapping with `path` and `required`, or a list of both.
  private mutating func environmentFiles(_ node: NodeID) -> [EnvironmentFileName] {
    let nodes = tree.kind(node) == .sequence ? tree.elements(node) : [node]
    return nodes.flatMap { element -> [EnvironmentFileName] in
      guard tree.kind(element) == .mapping else {
        if tree.kind(element) == .sequence {
          reportType(element, "each element of env-file", expected: "the path of a file")
          return []
        }
        return fileNames(element, "env-file").map { EnvironmentFileName($0) }
      }
      var file = EnvironmentFileName("")
      forEachKey(of: element, KeyTable<EnvironmentFileKey>(), owner: "env-file", location: element) {
        reader, key, member in
        switch key {
        case .path: file.path = reader.fileNames(member.value, "path of env-file").first ?? ""
        case .required: file.isRequired = reader.boolean(member.value, "required of env-file") ?? true
        }
      }
      return file.path.isEmpty ? [] : [file]
    }
  }

  private mutating func timeout(_ node: NodeID) -> Duration? {
    guard let timeout = duration(node, "timeout") else { return nil }
    if timeout == .zero {
      report(
        .outOfRange, "'timeout' must be greater than zero", at: span(node),
        help: "leave 'timeout' out for no limit")
    }
    return timeout
  }

  /// Removes the diagnostic about missing `steps` if the file has a key that other tools use for the list of steps.
  private mutating func forgiveForeignSteps(_ root: NodeID) {
    guard !diagnostics.isEmpty, locations.value(.steps) == nil,
      ForeignKeys.holdingSteps.contains(where: { tree.member($0, of: root) != nil })
    else { return }
    diagnostics.removeAll { $0.code == .missingKey && $0.message.hasSuffix("'\(WorkflowKey.steps.rawValue)'") }
  }

  private mutating func outputs(_ node: NodeID) -> ValueObject {
    guard tree.kind(node) == .mapping else {
      reportType(node, "outputs", expected: "a mapping from name to value")
      return [:]
    }
    var members = tree.members(of: node, failures: &diagnostics)
    while let member = members.next(in: tree) {
      if tree.kind(member.key) == .scalar { checkName(tree.text(member.key), .output, member.key) }
    }
    return object(node)
  }

  /// Reads a mapping from names of variables to scalars. Numbers and Booleans become strings.
  mutating func environment(_ node: NodeID, _ owner: Owner) -> ValueObject {
    guard tree.kind(node) == .mapping else {
      reportType(
        node, owner, expected: "a mapping from variable to value",
        help: tree.kind(node) == .sequence ? "write '{ NAME: value }', without a list" : nil)
      return [:]
    }
    var result = ValueObject()
    // Some programs treat variables as the same if their names look the same.
    var looks: [String: NodeID] = [:]
    var members = tree.members(of: node, failures: &diagnostics)
    while let member = members.next(in: tree) {
      guard let name = keyText(member.key) else { continue }
      guard result[name] == nil else {
        reportDuplicate(member.key, in: node)
        continue
      }
      if let other = looks.updateValue(member.key, forKey: name) {
        report(
          .invalidName, "'\(name)' differs from another variable in Unicode normalization alone", at: span(member.key),
          related: [.init(span(other), "the other one is here")], help: "give one of them another name")
      }
      if name.utf8.contains(UInt8(ascii: "=")) || name.utf8.contains(0) {
        report(.invalidName, "'\(name)' cannot be the name of an environment variable", at: span(member.key))
      }
      guard tree.kind(member.value) == .scalar, let value = tree.scalarValue(member.value), !value.isNull else {
        reportType(
          member.value, .part("'\(name)'", of: owner), expected: "a string, a number, true or false",
          help: tree.text(of: member.value)?.isEmpty == true ? "write \"\" for an empty value" : nil)
        continue
      }
      result[name] = .string(tree.text(member.value))
    }
    return result
  }

  private mutating func events(_ node: NodeID) -> [EventDeclaration] {
    var result: [EventDeclaration] = []
    switch tree.kind(node) {
    case .sequence:
      var seen: [String: NodeID] = [:]
      for element in tree.elements(node) {
        guard let name = string(element, "each of events") else { continue }
        checkName(name, .event, element)
        if let first = seen[name] {
          report(
            .duplicateKey, "the event '\(name)' appears twice in this list", at: span(element),
            related: [.init(span(first), "the first one is here")])
        } else {
          seen[name] = element
          result.append(EventDeclaration(name))
        }
      }
    case .mapping:
      forEachName(of: node, .event) { reader, name, member in
        if reader.tree.kind(member.value) == .scalar, reader.tree.scalarValue(member.value)?.isNull == true {
          result.append(EventDeclaration(name))
        } else if reader.tree.kind(member.value) == .mapping {
          result.append(reader.event(name, member))
        } else if let summary = reader.string(member.value, "the description of event '\(name)'") {
          result.append(EventDeclaration(name, summary: summary))
        }
      }
    default: reportType(node, "events", expected: "a list of names, or a mapping from name to description")
    }
    return result
  }

  private mutating func event(_ name: String, _ member: MemberCursor.Member) -> EventDeclaration {
    var event = EventDeclaration(name)
    forEachKey(of: member.value, KeyTable<EventKey>(), owner: "event '\(name)'", location: member.key) {
      reader, key, entry in
      switch key {
      case .repeats: event.repeats = reader.boolean(entry.value, "'repeats' of event '\(name)'") ?? false
      case .description: event.summary = reader.string(entry.value, "the description of event '\(name)'") ?? ""
      case .value:
        event.value = reader.eventValue(entry.value, "the value of event '\(name)'", location: entry.key)
      }
    }
    return event
  }

  private mutating func queues(_ node: NodeID) -> [QueueDeclaration] {
    guard tree.kind(node) == .mapping else {
      reportType(node, "queues", expected: "a mapping from name to queue")
      return []
    }
    var result: [QueueDeclaration] = []
    forEachName(of: node, .queue) { reader, name, member in
      if Queue.builtIn.contains(name) {
        reader.report(
          .reservedQueue, "'\(name)' is a queue that every workflow has", at: reader.span(member.key),
          help: "give this queue another name")
      }
      var qualityOfService: StepQueue?
      var width: Int?
      reader.forEachKey(of: member.value, KeyTable<QueueKey>(), owner: "queue '\(name)'", location: member.key) {
        reader, key, entry in
        switch key {
        case .qos: qualityOfService = reader.word(entry.value, "the qos of queue '\(name)'")
        case .width: width = reader.integer(entry.value, 1...Limits.steps, "the width of queue '\(name)'")
        }
      }
      result.append(
        QueueDeclaration(name: name, qualityOfService: qualityOfService ?? .userInitiated, width: width))
    }
    return result
  }

  private mutating func readDefaults(_ node: NodeID) {
    forEachKey(of: node, KeyTable<DefaultsKey>(), owner: "defaults", location: node) { reader, key, member in
      switch key {
      case .retry: reader.defaults.retry = reader.retry(member.value, "defaults.retry", location: member.key)
      case .deadline: reader.defaults.deadline = reader.stepDeadline(member.value, "defaults.deadline")
      case .queue: reader.defaults.queue = reader.queueName(member.value, "defaults.queue")
      case .stop: reader.defaults.stop = reader.stopPolicy(member.value, "defaults.stop")
      case .executor: reader.workflow.executor = reader.executor(member.value, "defaults.executor")
      case .shell: reader.defaults.shell = reader.literal(member.value, "defaults.shell")
      case .cwd: reader.defaults.folder = reader.literal(member.value, "defaults.cwd")
      }
    }
  }
}

/// The dependencies of a step that has many of them, as a set. `start` and `end` are their range in `needs`.
struct LongDependencies {
  var start: Int
  var end: Int
  var steps: Set<StepIndex> = []
}

/// The options in `defaults`, which apply to steps that do not set them.
struct StepDefaults {
  var retry: RetryPolicy?
  var deadline: StepDeadline?
  var queue: String?
  var stop: StopPolicy?
  var shell: String?
  /// The working folder of commands that do not set one, or nil.
  var folder: String?

  /// True if there are no defaults for the options of steps.
  var isEmpty: Bool { retry == nil && deadline == nil && queue == nil }
}

/// The queues that exist in every workflow.
enum Queue {
  static let main = "main"
  static let builtIn = [main] + StepQueue.allCases.map(\.rawValue)
}

extension NodeTree {
  /// Returns the text of a scalar, or nil for any other node.
  func text(of id: NodeID) -> String? { kind(id) == .scalar ? text(id) : nil }
}
