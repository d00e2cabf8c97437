import FlowModel
import FlowSyntax

/// The actions of plugins whose interfaces were read.
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

  /// None: the actions' own checks are in the plugins, which are not here.
  func problems(with input: LiteralInput, of action: String) -> [InputProblem] { [] }
}
