/// The options that `make` hands to the programs that it starts.
package enum MakeFlags {
  /// The options without a job server by descriptors: children get no descriptor but three, and a `make` that does not find the
  /// two reports an error or uses files that are something else. Nil if nothing is left.
  package static func withoutDescriptors(_ flags: String) -> String? {
    let words = flags.split(separator: " ", omittingEmptySubsequences: false)
    guard words.contains(where: isServer) else { return flags }
    // Without its server the number of jobs would be that of each `make`.
    let rest = words.filter { !isServer($0) && !($0.hasPrefix("-j") && $0.dropFirst(2).allSatisfy(\.isNumber)) }
    return rest.allSatisfy(\.isEmpty) ? nil : rest.joined(separator: " ")
  }

  private static func isServer(_ word: Substring) -> Bool {
    for option in ["--jobserver-auth=", "--jobserver-fds="] where word.hasPrefix(option) {
      return !word.dropFirst(option.count).hasPrefix("fifo:")
    }
    return false
  }
}
