import FlowModel
import FlowPluginKit
import FlowTestKit
import StoragePlugin

extension TemporaryFolder {
  /// Returns a host whose store, a file in this folder, was opened by `storage.open`.
  func opened(_ name: String = "store.sqlite") async throws -> TestHost {
    let host = TestHost(dataFolder: path, workflowFolder: path)
    _ = try await host.call("storage.open", with: ["path": .string(name)])
    return host
  }
}

extension TestHost {
  /// Runs an action of the `storage` plugin.
  func call(_ action: String, with inputs: ValueObject = [:]) async throws -> ValueObject {
    guard let action = ActionRegistry([StoragePlugin()]).action(named: action) else { fatalError(action) }
    return try await call(action, with: inputs)
  }
}
