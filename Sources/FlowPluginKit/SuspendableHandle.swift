/// A handle with a resource that a suspended app must not keep. For example, iOS terminates a suspended app that has
/// locked a file in the folder of an app group.
package protocol SuspendableHandle: Sendable {
  /// Releases the resource.
  func suspend() async
  /// Acquires the resource again. Throws if another process has acquired it meanwhile.
  func reactivate() async throws
}
