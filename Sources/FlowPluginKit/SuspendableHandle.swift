/// A handle with something that a suspended app must not keep. For example, iOS terminates a suspended app that has
/// locked a file in the folder of an app group.
package protocol SuspendableHandle: Sendable {
  /// Releases what the app must not keep.
  func suspend() async
  /// Acquires it again. Throws if another process has acquired it meanwhile.
  func reactivate() async throws
}
