/// Adjusts `MAKEFLAGS`, in which `make` passes its options to the programs that it starts.
package enum MakeFlags {
  /// Returns the options without a job server that uses descriptors, or nil if no options are left. Commands inherit
  /// only three descriptors. Without those of the job server, their `make` would report an error or use unrelated
  /// files.
  package static func withoutDescriptors(_ flags: String) -> String? {
    let words = flags.split(separator: " ", omittingEmptySubsequences: false)
    guard words.contains(where: isServer) else { return flags }
    // Without the job server, the number of jobs would apply to each `make` separately.
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
