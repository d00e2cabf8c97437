/// A plugin's handle that holds something which a suspended app must not hold: iOS ends an app that is suspended while it has a
/// lock on a file in the folder of an app group.
package protocol SuspendableHandle: Sendable {
  /// Releases it, and returns when that is done.
  func suspend() async
  /// Takes it again. Throws if another process has taken it meanwhile.
  func reactivate() async throws
}
