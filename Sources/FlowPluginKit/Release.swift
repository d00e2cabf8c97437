/// Which release of flowrun this is.
package enum Release {
  /// Its version, as `flowrun --version` prints it.
  package static let version = "0.9.0"
}
