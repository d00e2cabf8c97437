import FlowModel

/// The actions that a workflow names, each looked up once however many steps use it.
struct ActionTable {
  /// An action as the workflow names it.
  struct NamedAction: Sendable {
    let name: String
    /// Nil when no such action is installed.
    let declaration: ActionDeclaration?
    /// Whether a step without `with` is right and there is nothing else to check of one.
    let isPlain: Bool
  }

  private let catalog: any ActionCatalog
  private var names = NameTable(capacity: 8)
  /// The index in ``entries`` of each of the names.
  private var locations: [Int] = []
  /// The index of the action of `run`; -1: no step has it so far.
  private var commandIndex = -1
  private(set) var entries: [NamedAction] = []
  /// The action of each step, as an index of ``entries``; -1: none was stated.
  var ofStep: [Int32] = []

  init(catalog: any ActionCatalog) { self.catalog = catalog }

  /// The index of the action that `node` names.
  @inline(__always)
  mutating func index(of node: NodeID, in tree: borrowing NodeTree) -> Int {
    let (index, isNew) = names.insert(node, in: tree)
    if isNew {
      locations.append(entries.count)
      add(tree.text(node))
    }
    return locations[index]
  }

  /// The index of the action that `run` is short for.
  mutating func indexOfCommand() -> Int {
    if commandIndex < 0 {
      commandIndex = entries.count
      add(CommandKeys.action)
    }
    return commandIndex
  }

  /// The index of the action that `run` is short for at a service.
  mutating func indexOfService() -> Int {
    if let index = entries.firstIndex(where: { $0.name == CommandKeys.serviceAction }) { return index }
    add(CommandKeys.serviceAction)
    return entries.count - 1
  }

  private mutating func add(_ name: String) {
    let declaration = catalog.declaration(named: name)
    let isPlain =
      declaration.map { $0.eventFromInput == nil && $0.calls == nil && !$0.inputs.contains(where: \.isRequired) }
      ?? false
    entries.append(NamedAction(name: name, declaration: declaration, isPlain: isPlain))
  }

  /// What the step names, or nil.
  func entry(ofStep step: Int) -> NamedAction? {
    let index = Int(ofStep[step])
    return index < 0 ? nil : entries[index]
  }

  /// The declaration of the step's action, or nil.
  func declaration(ofStep step: Int) -> ActionDeclaration? { entry(ofStep: step)?.declaration }
}
