extension Int {
  /// Returns this number followed by a noun, as in `1 run` and `2 runs`.
  package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
