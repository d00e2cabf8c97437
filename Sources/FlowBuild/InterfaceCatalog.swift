import FlowModel
import FlowSyntax

/// The actions that the interfaces of plugins declare.
struct InterfaceCatalog: ActionCatalog {
  let declarations: [ActionDeclaration]
  let runHandles: [HandleKey]
  private let byName: [String: ActionDeclaration]

  init(_ interfaces: [PluginInterface]) {
    declarations = interfaces.flatMap(\.actions).sorted { $0.name < $1.name }
    runHandles = interfaces.flatMap(\.handles)
    byName = Dictionary(declarations.map { ($0.name, $0) }) { first, _ in first }
  }

  func declaration(named name: String) -> ActionDeclaration? { byName[name] }

  /// Returns no problems: the actions' own checks are a part of the plugins' code, which is not available here.
  func problems(with input: LiteralInput, of action: String) -> [InputProblem] { [] }
}
