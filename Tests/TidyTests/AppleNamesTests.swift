import Foundation
import TestSupport
import Testing

/// Tests the names of public types in modules that an app imports together with Apple's frameworks.
struct `Names of types in an app` {
  /// The modules that an app may import, directly or through a product.
  private static let modules = [
    "Sources/FlowDiagnostics", "Sources/FlowModel", "Sources/FlowSecrets", "Sources/FlowCompiled",
    "Sources/FlowPluginKit",
    "Sources/FlowEngine", "Sources/FlowKit", "Sources/FlowKitYAML", "Sources/FlowApple", "Sources/FlowHistory",
    "Sources/FlowStore", "Sources/FlowTestKit", "Sources/FlowObservability", "plugins/router/Sources/RouterCore",
    "plugins/geocode/Sources/GeocodeCore", "plugins/flow/Sources/BasicsPlugin", "plugins/geocode/Sources/GeocodePlugin",
    "plugins/location/Sources/LocationPlugin", "plugins/notification/Sources/NotificationPlugin",
    "plugins/preferences/Sources/PreferencesPlugin", "plugins/router/Sources/RouterPlugin",
    "plugins/storage/Sources/StoragePlugin", "plugins/ui/Sources/UserInterfacePlugin",
    "plugins/sync/Sources/SyncPlugin",
    "plugins/sync/Sources/SyncCore", "plugins/sync/Sources/SyncEngine", "plugins/sync/Sources/SyncRecords",
    "plugins/sync/Sources/SyncPomodoro", "plugins/sync/Sources/SyncSQLite", "plugins/sync/Sources/SyncCloud",
    "plugins/sync/Sources/SyncHTTP", "plugins/sync/Sources/SyncSimulation", "plugins/sync/Sources/SyncTestKit",
  ]

  /// Returns the public types that are not nested in other types, with the modules that declare them.
  private static func types() throws -> [String: Set<String>] {
    // Declarations inside `#if` are indented by one level.
    let declaration = try Regex<(Substring, Substring, Substring)>(
      #"^( {0,2})(?:@\w+(?:\([^)]*\))? )*public (?:(?:final|indirect|nonisolated) )*(?:struct|class|enum|actor|protocol|typealias) (\w+)"#
    ).anchorsMatchLineEndings()
    var types: [String: Set<String>] = [:]
    for module in modules {
      for file in Repository.files(below: module, ending: ".swift") {
        let text = try Repository.text(file)
        let hasConditions = text.contains("\n#if ") || text.hasPrefix("#if ")
        for match in text.matches(of: declaration) where match.output.1.isEmpty || hasConditions {
          types[String(match.output.2), default: []].insert(module)
        }
      }
    }
    return types
  }

  @Test func `no public type has the name of a type in Apple's frameworks`() throws {
    var names: [String: String] = [:]
    var framework = ""
    for line in try Repository.text("Tests/Apple/Names.txt").split(separator: "\n") where !line.hasPrefix("#") {
      for word in line.split(separator: " ") {
        if word.hasSuffix(":") { framework = String(word.dropLast()) } else { names[String(word)] = framework }
      }
    }
    let types = try Self.types()
    #expect(types.count > 150 && names.count > 500)
    let clashes = types.keys.filter { names[$0] != nil }.sorted()
    #expect(clashes == [], "\(clashes.map { "\($0) of \(names[$0]!)" })")
  }

  @Test func `public types have unique names among the modules that an app imports`() throws {
    let clashes = try Self.types().filter { $0.value.count > 1 }
    #expect(clashes.isEmpty, "\(clashes)")
  }
}
