import FlowCompiled
import FlowModel
import FlowSyntax

/// Generates the Swift code for a plugin of the app itself: a protocol that the app implements, and the plugin that
/// calls it.
struct PluginSource {
  let file: String
  let interface: PluginInterface
  /// The common prefix of the Swift names that end with `Plugin` and `Actions`.
  let base: String
  /// The access modifier `public ` in a library, or an empty string.
  let access: String

  /// The code of the declarations, for the top level of a file.
  var text: String {
    let actions = interface.actions
    let words = actions.map { String($0.name.dropFirst(interface.name.utf8.count + 1)) }
    let functions = SwiftNames.members(words)
    let types = SwiftNames.typePrefixes(words)
    var requirements = ""
    var bodies = ""
    var nested = ""
    for (index, action) in actions.enumerated() {
      let input = action.inputs.isEmpty ? "" : "_ input: \(base)Plugin.\(types[index])Input, "
      let output = action.outputs.isEmpty ? "" : " -> \(base)Plugin.\(types[index])Output"
      requirements += SwiftText.comment(action.summary, indent: "  ")
      requirements += "  func \(functions[index])(\(input)in context: ActionContext) async throws\(output)\n"
      let values = action.inputs.isEmpty ? "" : "\(types[index])Input(values: values), "
      let call = "try await implementation.\(functions[index])(\(values)in: context)"
      bodies += """
              RegisteredAction(
                declaration: declarations[\(index)],
                body: .\(action.isService ? "service" : "asynchronous") { \(action.inputs.isEmpty ? "_" : "values"), context in
                  \(action.outputs.isEmpty ? "\(call)\n            return [:]" : "\(call).values")
                }),

        """
      nested += members(of: action, types[index])
    }
    return """
      /// The actions of '\(interface.name)' (\(file)), which the app implements.
      \(access)protocol \(base)Actions: Sendable {
      \(requirements)}

      /// \(interface.summary.isEmpty ? "The plugin '\(interface.name)'" : interface.summary)
      \(access)struct \(base)Plugin: FlowKit.Plugin {
        \(access)static let name = \(SwiftText.literal(interface.name))
        \(access)let actions: [any ActionType.Type] = []
        \(access)let boundActions: [RegisteredAction]

        /// A plugin whose actions call `implementation`.
        \(access)init(_ implementation: some \(base)Actions) {
          let declarations = Self.declarations
          boundActions = [
      \(bodies)    ]
        }

      \(SwiftText.indented(nested, by: "  "))
        private static var declarations: [ActionDeclaration] {
          do {
            return try FlowKit.CompiledActions(compiled).declarations
          } catch {
            preconditionFailure("build the app again: \\(error)")
          }
        }

        private static let compiled: [UInt8] = \(SwiftText.bytes(CompiledActions(actions).bytes, indent: "  "))
      }

      """
  }

  private func members(of action: ActionDeclaration, _ type: String) -> String {
    var text = ""
    if !action.inputs.isEmpty {
      let fields = SwiftFields(action.inputs, .received, access: access)
      text += """
        /// The inputs of '\(action.name)'.
        \(access)struct \(type)Input: Sendable {
        \(SwiftText.indented(fields.declarations + fields.initializer + fields.reading, by: "  "))
        }

        """
    }
    if !action.outputs.isEmpty {
      let fields = SwiftFields(action.outputs, .given, access: access)
      text += """
        /// The outputs of '\(action.name)'.
        \(access)struct \(type)Output: Sendable {
        \(SwiftText.indented(fields.declarations + fields.initializer + fields.writing, by: "  "))
        }

        """
    }
    if !action.errors.isEmpty {
      text += "/// The errors that '\(action.name)' may end with.\n\(access)enum \(type)Error {\n"
      for (error, name) in zip(action.errors, SwiftNames.members(action.errors.map(\.code))) {
        text += SwiftText.comment(error.summary, indent: "  ")
        text += "  \(access)static func \(name)(_ message: String) -> ActionError {\n"
        text += "    ActionError(\(SwiftText.literal(error.code)), message)\n  }\n"
      }
      text += "}\n"
    }
    return text
  }
}
