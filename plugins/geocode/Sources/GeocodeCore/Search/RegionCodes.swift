/// The abbreviations of the provinces, states and territories of Canada and Australia, which addresses use, as in
/// `Vancouver, BC`. The tables have GeoNames' numbers for these. For the United States, they have the postal codes.
enum RegionCodes {
  /// Returns the table codes of the regions with this abbreviation, which must be in capital letters. `NT` stands for
  /// a region of Canada and one of Australia. `WA` also stands for Washington, which the caller adds.
  static func codes(of letters: String) -> [String] { codes[letters] ?? [] }

  private static let codes: [String: [String]] = [
    "AB": ["CA.01"], "BC": ["CA.02"], "MB": ["CA.03"], "NB": ["CA.04"], "NL": ["CA.05"], "NS": ["CA.07"],
    "ON": ["CA.08"], "PE": ["CA.09"], "PEI": ["CA.09"], "QC": ["CA.10"], "PQ": ["CA.10"], "SK": ["CA.11"],
    "YT": ["CA.12"], "YK": ["CA.12"], "NT": ["CA.13", "AU.03"], "NWT": ["CA.13"], "NU": ["CA.14"],
    "ACT": ["AU.01"], "NSW": ["AU.02"], "QLD": ["AU.04"], "SA": ["AU.05"], "TAS": ["AU.06"], "VIC": ["AU.07"],
    "WA": ["AU.08"],
  ]
}
