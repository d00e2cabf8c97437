/// A handle that uses a resource which a suspended app must release. For example, iOS terminates a suspended app that
/// has locked a file in the folder of an app group.
package protocol SuspendableHandle: Sendable {
  /// Releases the resource before the app is suspended.
  func suspend() async
  /// Acquires the resource again. Throws an error if another process has acquired it in the meantime.
  func reactivate() async throws
}
