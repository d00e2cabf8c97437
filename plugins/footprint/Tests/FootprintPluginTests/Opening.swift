import FlowModel
import FlowPluginKit
import FlowTestKit
import StoragePlugin

extension TemporaryFolder {
  /// Returns a host for which `storage.open` has opened a store in this folder.
  func opened(_ name: String = "store.sqlite") async throws -> TestHost {
    let host = TestHost(dataFolder: path, workflowFolder: path)
    _ = try await host.call("storage.open", with: ["path": .string(name)])
    return host
  }
}

extension TestHost {
  /// Calls an action of the `storage` plugin.
  func call(_ action: String, with inputs: ValueObject = [:]) async throws -> ValueObject {
    guard let action = ActionRegistry([StoragePlugin()]).action(named: action) else { fatalError(action) }
    return try await call(action, with: inputs)
  }
}
