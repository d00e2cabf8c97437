extension String {
  /// The name of a Swift property as workflows write it: `minimumPopulation` is `minimum-population`.
  ///
  /// A run of capitals is one word (`notificationID` is `notification-id`); a name without capitals stays as it is.
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
