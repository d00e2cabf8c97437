/// A kind of launch. Times of different groups cannot be compared: a launch in the background shows no window, and a
/// prewarmed launch has done some of its work in advance.
package struct LaunchGroup: Sendable, Hashable {
  /// The reason for the launch, or `none` if the run was not activated.
  package let reason: String
  /// The first entry into the app, such as `cold` or `prewarmed`.
  package let entry: String

  /// Creates the group of a run from values of its report.
  package init(reason: String?, entry: String?, isPrewarmed: Bool) {
    self.reason = reason ?? "none"
    self.entry = isPrewarmed ? "prewarmed" : entry ?? "cold"
  }

  /// The name of the group in human-readable output, such as `user (cold)`.
  package var name: String { "\(reason) (\(entry))" }
}
