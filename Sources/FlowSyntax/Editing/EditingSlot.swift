import FlowDiagnostics
import FlowModel

/// A key of the format with its documentation. The parser and the schema use the same table.
struct KeyPage {
  let name: String
  let owner: String
  let shape: Shape
  let summary: String
  let isRequired: Bool
  let defaultText: String?
  var proposals: [String] = []

  /// The documentation of the key in Markdown.
  var page: String {
    var text = "**\(name)** (\(owner))\n\n\(summary)."
    if isRequired { text += "\n\nRequired." }
    if let defaultText { text += "\n\nDefault: `\(defaultText)`" }
    return text
  }
}

extension FormatKey {
  /// The documentation of all keys that a mapping can have.
  static var pages: [KeyPage] {
    allCases.map {
      KeyPage(
        name: $0.rawValue, owner: owner, shape: $0.shape, summary: $0.summary, isRequired: $0.isRequired,
        defaultText: $0.defaultText, proposals: $0.proposals)
    }
  }
}

/// The kind of content that is allowed at a location in a file.
enum EditingSlot {
  /// The value of a key of the format. `page` is the documentation of the key.
  case shape(Shape, page: KeyPage?)
  /// The inputs of this action, as a mapping.
  case inputs(ActionDeclaration)
  /// The value of an input or a part of it. The field is nil if the part is not a declared field.
  case type(ValueType, FieldDeclaration?)
  case unknown

  /// The allowed keys. Empty unless the content can be a mapping with keys of the format.
  var keys: [KeyPage] {
    guard case .shape(let shape, _) = self else { return [] }
    switch shape {
    case .map(let type), .durationOr(let type, _): return type.pages
    case .foreach: return ForeachKey.pages
    case .executorAddress: return ExecutorKey.pages
    case .fileRule: return FileKey.pages
    default: return []
    }
  }

  /// The allowed fields. Empty unless the content is a mapping with declared fields.
  var fields: [FieldDeclaration] {
    switch self {
    case .inputs(let declaration): declaration.inputs
    case .type(.object(let properties?), _): properties
    default: []
    }
  }

  /// Returns the content that is allowed at a part of this location.
  fileprivate func inside(_ part: EditingLocation.Part) -> EditingSlot {
    switch (self, part) {
    case (.shape(.named(_, let shape), let page), .key): return .shape(shape, page: page)
    case (.shape(.events, let page), .key): return .shape(.map(EventKey.self), page: page)
    case (.shape(.list(let shape, _), let page), .element): return .shape(shape, page: page)
    case (.shape(.stepNames, let page), .element): return .shape(.stepNames, page: page)
    case (.shape(.eventNames, let page), .element): return .shape(.eventNames, page: page)
    case (.shape(.fileNames, let page), .element): return .shape(.fileNames, page: page)
    case (.shape(.environmentFiles, let page), .element): return .shape(.map(EnvironmentFileKey.self), page: page)
    case (.shape(.events, let page), .element): return .shape(.events, page: page)
    case (.shape, .key(let name)):
      return keys.first { $0.name == name }.map { .shape($0.shape, page: $0) } ?? .unknown
    case (.inputs, .key(let name)), (.type(.object, _), .key(let name)):
      return fields.first { $0.name == name }.map { .type($0.type, $0) } ?? .unknown
    case (.type(.array(let element), let field), .element): return .type(element, field)
    default: return .unknown
    }
  }
}

extension WorkflowDocument {
  /// Returns the kind of content that is allowed at a path. For a step's inputs, the step's action determines it.
  func slot(at path: [EditingLocation.Part], root: any FormatKey.Type = WorkflowKey.self) -> EditingSlot {
    var slot = EditingSlot.shape(.map(root), page: nil)
    for (depth, part) in path.enumerated() {
      slot = slot.inside(part)
      if case .shape(.values, _) = slot, depth == 2, case .key(let list) = path[0],
        WorkflowKey.holdsSteps(list), case .key(let id) = path[1]
      {
        slot = declaration(ofStepNamed: id).map { .inputs($0) } ?? .unknown
      }
    }
    return slot
  }

  /// Returns the declaration of a step's action, or nil if the step or action is unknown.
  func declaration(ofStepNamed id: String) -> ActionDeclaration? {
    step(named: id).flatMap { check?.actions.declaration(ofStep: $0) }
  }

  /// True if the path is inside the inputs of an action that a step calls for each post.
  func isCalled(_ keys: [String]) -> Bool {
    guard keys.count > 3, WorkflowKey.holdsSteps(keys[0]), keys[2] == StepKey.with.rawValue,
      let call = declaration(ofStepNamed: keys[1])?.calls
    else { return false }
    return keys[3] == call.inputs
  }

  func node(at path: [EditingLocation.Part]) -> NodeID? {
    guard let tree, var current = tree.root else { return nil }
    for part in path {
      switch part {
      case .key(let name):
        guard let value = tree.member(name, of: current)?.value else { return nil }
        current = value
      case .element(let number):
        guard tree.kind(current) == .sequence else { return nil }
        let elements = tree.elements(current)
        guard elements.indices.contains(number) else { return nil }
        current = elements[number]
      }
    }
    return current
  }

  /// Returns the keys of the mapping at a path, except the one at `offset`.
  func keys(at path: [EditingLocation.Part], except offset: Int) -> Set<String> {
    guard let tree, let node = node(at: path), tree.kind(node) == .mapping else { return [] }
    var keys: Set<String> = []
    var ignored: [Diagnostic] = []
    var members = tree.members(of: node, failures: &ignored)
    while let member = members.next(in: tree) {
      let span = tree.span(member.key)
      if span.start <= offset, offset <= span.end { continue }
      if let text = tree.text(of: member.key) { keys.insert(text) }
    }
    return keys
  }

  /// Returns the key, scalar or alias at `offset`, the path to it, and whether it is a key. Returns nil if there is
  /// none.
  func location(at offset: Int) -> (path: [EditingLocation.Part], isKey: Bool, node: NodeID)? {
    guard let tree, var current = tree.root else { return nil }
    var path: [EditingLocation.Part] = []
    walk: while true {
      switch tree.nodes[current].kind {
      case .mapping:
        var position = current + 1
        while position < tree.next(current) {
          let value = tree.next(position)
          let span = tree.span(position)
          let name = EditingLocation.Part.key(tree.keyName(position))
          if span.start <= offset, offset <= span.end { return (path + [name], true, position) }
          if tree.span(value).start <= offset, offset <= tree.contentEnd(value) {
            path.append(name)
            current = value
            continue walk
          }
          position = tree.next(value)
        }
        return nil
      case .sequence:
        let elements = tree.elements(current)
        guard
          let number = elements.firstIndex(where: {
            tree.span($0).start <= offset && offset <= tree.contentEnd($0)
          })
        else { return nil }
        path.append(.element(number))
        current = elements[number]
      case .scalar, .alias: return (path, false, current)
      }
    }
  }
}
