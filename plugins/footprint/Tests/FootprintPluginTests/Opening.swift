import FlowModel
import FlowPluginKit
import FlowTestKit
import StoragePlugin

extension TemporaryFolder {
  /// A host with a store of this folder that `storage.open` has opened.
  func opened(_ name: String = "store.sqlite") async throws -> TestHost {
    let host = TestHost(dataFolder: path, workflowFolder: path)
    _ = try await host.call("storage.open", with: ["path": .string(name)])
    return host
  }
}

extension TestHost {
  /// Runs an action of the plugin `storage`.
  func call(_ action: String, with inputs: ValueObject = [:]) async throws -> ValueObject {
    guard let action = ActionRegistry([StoragePlugin()]).action(named: action) else { fatalError(action) }
    return try await call(action, with: inputs)
  }
}
