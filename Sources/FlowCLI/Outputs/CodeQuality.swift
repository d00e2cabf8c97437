import FlowModel
import FlowSystem

/// Findings as GitLab's code quality report, a JSON array. GitLab recognizes a finding in later pipelines by its
/// fingerprint.
enum CodeQuality {
  /// Returns the report. If there are no findings, it is an empty array.
  static func bytes(_ findings: [Finding]) -> [UInt8] {
    var counts: [String: Int] = [:]
    let entries = findings.map { finding -> Value in
      // The line is not part of the fingerprint, so a finding stays the same if lines are inserted above it.
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
