import FlowModel
import FlowSyntax

/// The actions in the interfaces of plugins.
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

  /// Returns no problems, because the actions' own checks are part of the plugins, which are not available.
  func problems(with input: LiteralInput, of action: String) -> [InputProblem] { [] }
}
