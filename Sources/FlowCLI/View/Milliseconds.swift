/// Times as people read them: `0.4 ms`, `12 ms`, `2.000 s`.
enum Milliseconds {
  static func text(_ milliseconds: Double) -> String {
    let magnitude = abs(milliseconds)
    if magnitude < 9.95 { return fixed(milliseconds, 1) + " ms" }
    if magnitude < 999.5 { return fixed(milliseconds, 0) + " ms" }
    return fixed(milliseconds / 1000, 3) + " s"
  }

  /// A number with so many decimals.
  static func fixed(_ number: Double, _ decimals: Int) -> String {
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let scaled = Int((abs(number) * scale).rounded())
    let sign = number < 0 && scaled != 0 ? "-" : ""
    guard decimals > 0 else { return sign + "\(scaled)" }
    let fraction = String(scaled % Int(scale))
    return sign + "\(scaled / Int(scale))." + String(repeating: "0", count: decimals - fraction.count) + fraction
  }
}
