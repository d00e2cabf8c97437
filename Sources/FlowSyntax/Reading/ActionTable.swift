import FlowModel

/// The actions that a workflow uses. Each is looked up only once, however many steps use it.
struct ActionTable {
  /// An action with its declaration. This is a class, so that nothing is copied when a check looks up the action of a
  /// step.
  final class NamedAction: Sendable {
    let name: String
    /// The declaration, or nil if the action is not installed.
    let declaration: ActionDeclaration?
    /// True if a step of this action that has no `with` needs no check of its inputs.
    let isPlain: Bool

    init(name: String, declaration: ActionDeclaration?, isPlain: Bool) {
      (self.name, self.declaration, self.isPlain) = (name, declaration, isPlain)
    }
  }

  private let catalog: any ActionCatalog
  private var names = NameTable(capacity: 8)
  /// The index in ``entries`` for each name.
  private var locations: [Int] = []
  /// The index in ``entries`` of the action for `run`, or -1 if no step uses it.
  private var commandIndex = -1
  private(set) var entries: [NamedAction] = []
  /// The index in ``entries`` of each step's action, or -1 if the step has none.
  var ofStep: [Int32] = []

  init(catalog: any ActionCatalog) { self.catalog = catalog }

  /// Returns the index of the action that `node` names. Adds the action if necessary.
  @inline(__always)
  mutating func index(of node: NodeID, in tree: borrowing NodeTree) -> Int {
    let (index, isNew) = names.insert(node, in: tree)
    if isNew {
      locations.append(entries.count)
      add(tree.text(node))
    }
    return locations[index]
  }

  /// Returns the index of the action for `run`. Adds the action if necessary.
  mutating func indexOfCommand() -> Int {
    if commandIndex < 0 {
      commandIndex = entries.count
      add(CommandKeys.action)
    }
    return commandIndex
  }

  /// Returns the index of the action for `run` in a service. Adds the action if necessary.
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

  func entry(ofStep step: Int) -> NamedAction? {
    let index = Int(ofStep[step])
    return index < 0 ? nil : entries[index]
  }

  func declaration(ofStep step: Int) -> ActionDeclaration? { entry(ofStep: step)?.declaration }
}
