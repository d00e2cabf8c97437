extension String {
  /// The name that a Swift property has in a workflow. `minimumPopulation` becomes `minimum-population`.
  ///
  /// Consecutive capitals count as one word: `notificationID` becomes `notification-id`. A name without capitals is
  /// unchanged.
  var kebabCase: String {
    guard utf8.contains(where: Self.isCapital) else { return self }
    var name = ""
    var previousIsCapital = true
    for byte in utf8 {
      let isCapital = Self.isCapital(byte)
      if isCapital && !previousIsCapital { name.append("-") }
      name.unicodeScalars.append(Unicode.Scalar(isCapital ? byte + 32 : byte))
      previousIsCapital = isCapital
    }
    return name
  }

  private static func isCapital(_ byte: UInt8) -> Bool { (65...90).contains(byte) }
}
