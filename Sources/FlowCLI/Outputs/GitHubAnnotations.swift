import FlowDiagnostics

/// Findings as workflow commands, which GitHub Actions shows as annotations: `::error
/// file=…,line=…,col=…,title=…::message`.
enum GitHubAnnotations {
  /// The number of annotations of each severity that GitHub shows for a step of a job.
  static let shownPerSeverity = 10

  /// Returns one line for each finding that GitHub shows. If there are more than ten of a severity, the tenth line
  /// states how many are omitted.
  static func text(_ findings: [Finding]) -> String {
    Diagnostic.Severity.allCases.map { severity in
      let own = findings.filter { $0.severity == severity }
      guard own.count > shownPerSeverity else { return own.map(line).joined() }
      let shown = own.prefix(shownPerSeverity - 1)
      let rest = own.count - shown.count
      let more = "::\(severity.rawValue) title=\(rest) more::GitHub shows \(shownPerSeverity) annotations of a kind; "
      return shown.map(line).joined() + more + "the log and the summary have the other \(rest)\n"
    }.joined()
  }

  private static func line(_ finding: Finding) -> String {
    let (file, place) = (property(finding.place.file), finding.place.location)
    return "::\(finding.severity.rawValue) file=\(file),line=\(place.line),col=\(place.column),"
      + "title=\(property(finding.title))::\(data("\(finding.message) [\(finding.code)]"))\n"
  }

  /// Escapes text for the message of a workflow command.
  static func data(_ text: String) -> String { escaped(text, "%\r\n") }

  /// Escapes text for a property of a workflow command.
  static func property(_ text: String) -> String { escaped(text, "%\r\n:,") }

  private static func escaped(_ text: String, _ special: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      guard special.unicodeScalars.contains(scalar) else {
        result.unicodeScalars.append(scalar)
        continue
      }
      let code = String(scalar.value, radix: 16, uppercase: true)
      result += "%" + (code.count < 2 ? "0" : "") + code
    }
    return result
  }
}
