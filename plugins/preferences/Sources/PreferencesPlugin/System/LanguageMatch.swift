/// Finds the application's language that best matches a preferred one. Implements small parts of RFC 4647's lookup and
/// of CLDR's rules for Chinese scripts.
enum LanguageMatch {
  /// Returns the best match for `wish` in `supported`, or nil if no tag has its language and a matching script. An
  /// equal tag is preferred, then a tag with the same region, then a tag without a region, then any other.
  static func best(for wish: String, among supported: [String]) -> String? {
    let wanted = Tag(wish)
    if let same = supported.first(where: { Tag($0) == wanted }) { return same }
    let related = supported.filter { Tag($0).language == wanted.language && Tag($0).fits(wanted) }
    return related.first { Tag($0).region == wanted.region } ?? related.first { Tag($0).region == nil } ?? related.first
  }

  private struct Tag: Equatable {
    var language: String
    var script: String?
    var region: String?

    init(_ text: String) {
      let parts = text.split { $0 == "-" || $0 == "_" }.map { $0.lowercased() }
      language = parts.first ?? ""
      script = parts.dropFirst().first { $0.count == 4 }
      region = parts.dropFirst().first { $0.count == 2 || ($0.count == 3 && $0.allSatisfy(\.isNumber)) }
      if language == "zh", script == nil, let region {
        script = ["tw", "hk", "mo"].contains(region) ? "hant" : "hans"
      }
    }

    /// True if the scripts are equal or at least one tag has no script.
    func fits(_ wanted: Tag) -> Bool { script == nil || wanted.script == nil || script == wanted.script }
  }
}
