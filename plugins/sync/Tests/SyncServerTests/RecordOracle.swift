#if Network
  import Foundation

  /// The expected result of a history's puts. Each put writes its number to every field of its record, so it must be
  /// effective in all fields or in none.
  struct RecordOracle {
    static let keys = ["kept", "a", "b"]
    static let states = ["focus", "break", "idle"]

    private struct Put {
      var key: String
      var begun = Date()
      var ended = Date()
      /// True if its device has reported that the put was saved. Otherwise, it may have been saved.
      var isSaved = false
    }

    private var puts: [Int: Put] = [:]

    /// Records the start of a put and returns its number.
    mutating func begin(_ key: String) -> Int {
      puts[puts.count + 1] = Put(key: key)
      return puts.count
    }

    mutating func end(_ number: Int, isSaved: Bool) {
      puts[number]?.ended = Date()
      puts[number]?.isSaved = isSaved
    }

    /// Returns the deviations of the shown rows from the expected result, as text.
    func problems(with text: String, isFile: Bool) -> [String] {
      guard let rows = (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [[String: Any]] else {
        return ["what is shown cannot be read: \(text)"]
      }
      var problems: [String] = []
      var shown: Set<String> = []
      for row in rows {
        switch row["part"] as? String {
        case "notes":
          let key = row["_key"] as? String ?? ""
          shown.insert(key)
          problems += self.problems(with: row, key: key, isFile: isFile).map { "'\(key)' \($0)" }
        case "accounts":
          if (row["likes"] as? Int ?? 0) != 0 { problems.append("a part of a transaction is missing: \(row)") }
        case "timers":
          if !Self.states.contains(row["title"] as? String ?? "") { problems.append("a state of nobody's: \(row)") }
        default: problems.append("unknown: \(row)")
        }
      }
      if !shown.contains("kept"), puts.values.contains(where: { $0.key == "kept" && $0.isSaved }) {
        problems.append("'kept' is not there")
      }
      return problems
    }

    private func problems(with row: [String: Any], key: String, isFile: Bool) -> [String] {
      let tags = Self.numbers(row["tags"], "t")
      var problems: [String] = []
      let counting = Set(tags)
      if counting.count != tags.count { problems.append("has an element twice: \(tags)") }
      let known = puts.filter { $0.value.key == key }
      if !counting.isSubset(of: known.keys) {
        problems.append("holds what nobody put: \(counting.subtracting(known.keys))")
      }
      let saved = Set(known.filter(\.value.isSaved).keys)
      if key == "kept", !saved.isSubset(of: counting) {
        problems.append("has lost \(saved.subtracting(counting).sorted()), which its devices had saved")
      }
      if Self.numbers(row["lines"], "l").sorted() != tags.sorted() {
        problems.append("has the lines \(row["lines"] ?? ""), must have those of \(tags)")
      }
      let likes = row["likes"] as? Int ?? 0
      if tags.count != likes {
        problems.append("has \(likes) likes, must have \(tags.count)")
      }
      for (name, value) in [("best", tags.max() ?? 0), ("least", tags.min() ?? 0)]
      where row[name] as? Int != value {
        problems.append("has \(name) \(row[name] ?? "nothing"), must have \(value)")
      }
      // The server corrects the clocks of devices. With a file, they are not corrected, so a larger difference is
      // accepted.
      let tolerance: TimeInterval = isFile ? 8 : 5
      guard let title = (row["title"] as? String).flatMap({ Int($0.dropFirst()) }), let winner = puts[title],
        counting.contains(title)
      else { return problems + ["has the title \(row["title"] ?? "nothing") of none of \(tags)"] }
      let latest = counting.compactMap { puts[$0]?.begun }.max() ?? .distantPast
      if winner.ended.addingTimeInterval(tolerance) < latest {
        problems.append("has the title \(title), which is much older than the newest of \(tags)")
      }
      return problems
    }

    /// Returns the numbers in a column of texts such as `["t1","t2"]`.
    private static func numbers(_ column: Any?, _ prefix: Character) -> [Int] {
      let list =
        column as? [String]
        ?? (column as? String).flatMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String] } ?? []
      return list.compactMap { $0.first == prefix ? Int($0.dropFirst()) : nil }
    }
  }
#endif
