extension Int {
  /// Returns this number with a noun, as in `1 run` and `2 runs`.
  package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
