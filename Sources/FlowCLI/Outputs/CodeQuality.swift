import FlowModel
import FlowSystem

/// Findings as GitLab's code quality report: a JSON array, with a fingerprint by which GitLab knows a finding again in
/// another pipeline.
enum CodeQuality {
  /// The report, empty brackets where nothing was found.
  static func bytes(_ findings: [Finding]) -> [UInt8] {
    var counts: [String: Int] = [:]
    let entries = findings.map { finding -> Value in
      // The line is not part of it, so that a finding stays the same when lines are added above.
      let identity = [finding.code, finding.place.file, finding.identity].joined(separator: "\n")
      let number = counts[identity, default: 0]
      counts[identity] = number + 1
      var hash = SHA256()
      hash.combine(Array("\(identity)\n\(number)".utf8))
      return [
        "description": .string("\(finding.title): \(finding.message)"), "check_name": .string(finding.code),
        "fingerprint": .string(hash.finish()), "severity": finding.severity == .error ? "major" : "minor",
        "location": [
          "path": .string(finding.place.file), "lines": ["begin": .integer(finding.place.location.line)],
        ],
      ]
    }
    return JSONText.bytes(of: .array(entries), layout: .indented) + [10]
  }
}
