import FlowModel
import FlowPluginKit
import Testing

@testable import FlowCLI

/// All names that authors of workflows write or read must be in kebab case.
struct NamingTests {
  private static let declarations = ActionRegistry(BuiltInPlugins.all).declarations

  @Test func `all names in the declarations of built-in actions are in kebab case`() {
    #expect(Self.declarations.count > 40)
    for action in Self.declarations {
      let fields = action.inputs + action.outputs
      var names = fields.flatMap { Self.names(of: $0) } + action.errors.map(\.code)
      names += (action.provides + action.requires).map(\.name) + action.name.split(separator: ".").map(String.init)
      names += action.events.flatMap { $0.split(separator: ".").map(String.init) }
      for name in names { #expect(Self.isKebabCase(name), "\(action.name): '\(name)'") }
    }
  }

  @Test(arguments: ["a", "country-code", "admin1-zh", "utf8"])
  func `a name in kebab case is accepted`(name: String) { #expect(Self.isKebabCase(name)) }

  @Test(arguments: ["", "countryCode", "country_code", "-a", "a-", "a--b", "1st", "a.b", "A"])
  func `a name that is not in kebab case is rejected`(name: String) { #expect(!Self.isKebabCase(name)) }

  /// Returns the names of a field and of all fields nested in it.
  private static func names(of field: FieldDeclaration) -> [String] { [field.name] + names(of: field.type) }

  private static func names(of type: ValueType) -> [String] {
    switch type {
    case .object(let properties?): properties.flatMap(names(of:))
    case .array(let element): names(of: element)
    case .enumeration(_, let base): names(of: base)
    default: []
    }
  }

  private static func isKebabCase(_ name: String) -> Bool {
    name.wholeMatch(of: /[a-z][a-z0-9]*(-[a-z0-9]+)*/) != nil
  }
}
