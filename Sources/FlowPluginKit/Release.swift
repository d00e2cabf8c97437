/// The release of flowrun that this program belongs to.
package enum Release {
  /// The version, as printed by `flowrun --version`.
  package static let version = "0.9.0"
}
