import FlowModel

/// The actions that a workflow uses, each looked up once regardless of the number of steps.
struct ActionTable {
  /// An action as named in the workflow.
  struct NamedAction: Sendable {
    let name: String
    /// The declaration, or nil if the action is not installed.
    let declaration: ActionDeclaration?
    /// True if a step without `with` is valid and needs no further checks.
    let isPlain: Bool
  }

  private let catalog: any ActionCatalog
  private var names = NameTable(capacity: 8)
  /// The index in ``entries`` of each name.
  private var locations: [Int] = []
  /// The index of the action of `run`, or -1 if no step has used it.
  private var commandIndex = -1
  private(set) var entries: [NamedAction] = []
  /// The action of each step as an index in ``entries``, or -1 if it is missing.
  var ofStep: [Int32] = []

  init(catalog: any ActionCatalog) { self.catalog = catalog }

  /// Returns the index of the action that `node` names.
  @inline(__always)
  mutating func index(of node: NodeID, in tree: borrowing NodeTree) -> Int {
    let (index, isNew) = names.insert(node, in: tree)
    if isNew {
      locations.append(entries.count)
      add(tree.text(node))
    }
    return locations[index]
  }

  /// Returns the index of the action that `run` abbreviates.
  mutating func indexOfCommand() -> Int {
    if commandIndex < 0 {
      commandIndex = entries.count
      add(CommandKeys.action)
    }
    return commandIndex
  }

  /// Returns the index of the action that `run` abbreviates in a service.
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

  /// Returns the action of a step, or nil.
  func entry(ofStep step: Int) -> NamedAction? {
    let index = Int(ofStep[step])
    return index < 0 ? nil : entries[index]
  }

  /// Returns the declaration of a step's action, or nil.
  func declaration(ofStep step: Int) -> ActionDeclaration? { entry(ofStep: step)?.declaration }
}
