#if Server
  import SyncEngine

  /// Who may use a zone.
  struct TokenCheck: Sendable {
    let tokens: [String: String?]

    /// Throws unless `authorization` is `Bearer` with the zone's token. An unknown zone takes the same comparison and the
    /// same answer as a wrong token, so that nobody learns which zones there are.
    func check(zone: String, authorization: String?) throws(BackendError) {
      let prefix = "Bearer "
      let given = authorization.flatMap { $0.hasPrefix(prefix) ? Array($0.dropFirst(prefix.count).utf8) : nil } ?? []
      // A zone that is open to this machine needs no token; whether any other is there is told to nobody without one.
      if case .some(nil) = tokens[zone] { return }
      let known = tokens[zone] ?? nil
      let expected = known.map { Array($0.utf8) } ?? Array(repeating: 0, count: 32)
      if Self.isEqual(given, expected), known != nil { return }
      if tokens.values.allSatisfy({ $0 == nil }) { throw .zoneMissing(zone) }
      throw .notAuthenticated(
        given.isEmpty ? "the zone '\(zone)' needs a token" : "the token does not open the zone '\(zone)'")
    }

    /// Compares in a time that depends on the length of what was given alone, not on where the first difference is.
    static func isEqual(_ given: [UInt8], _ expected: [UInt8]) -> Bool {
      var difference = given.count == expected.count ? 0 : 1
      for index in given.indices {
        difference |= Int(given[index] ^ (expected.isEmpty ? 0xff : expected[index % expected.count]))
      }
      return difference == 0
    }
  }
#endif
