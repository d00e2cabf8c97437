/// Which release of flowrun this is.
public enum Release {
  /// Its version, as `flowrun --version` prints it.
  public static let version = "0.1.0"
}
