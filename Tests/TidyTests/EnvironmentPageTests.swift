import Foundation
import TestSupport
import Testing

/// Checks that `docs/environment.md` lists the environment variables and folders that the sources use.
@Suite(.timeLimit(.minutes(5))) struct EnvironmentPageTests {
  private let page: String
  private let sources: String

  init() throws {
    page = try Repository.text("docs/environment.md")
    let files =
      Repository.files(below: "Sources", ending: ".swift") + Repository.files(below: "Sources", ending: ".c")
      + Repository.files(below: "plugins", ending: ".swift").filter { $0.contains("/Sources/") }
    // Variables for tests of plugins and for simulated clocks need not be on the page.
    let read = files.filter { !$0.contains("/FlowTestKit/") && !$0.hasSuffix("/SyncClock.swift") }
    sources = try read.map(Repository.text).joined(separator: "\n")
  }

  /// Returns the text of the first matching group in each match.
  private func matches(of pattern: String, in text: String) throws -> Set<String> {
    // Swift's own regular expressions are slow in a debug build.
    let text = text as NSString
    let found = try NSRegularExpression(pattern: pattern)
      .matches(in: text as String, range: NSRange(location: 0, length: text.length))
    return Set(
      found.compactMap { match in
        (1..<match.numberOfRanges).map(match.range(at:)).first { $0.location != NSNotFound }.map(text.substring(with:))
      })
  }

  @Test func `the environment page lists exactly the variables used in the sources`() throws {
    let read =
      #"(?:getenv|setenv|value|variable)\("([A-Z][A-Z0-9_]+)"|(?:environment|variables)\["([A-Z][A-Z0-9_]+)"\]"#
    let known =
      #""((?:FLOWRUN|SLURM|OTEL|GITHUB|CI|XDG|CUDA|LC)_[A-Z0-9_]*[A-Z0-9]|LANG|SDKROOT|DEVELOPER_DIR|TRACEPARENT)""#
    let names = try matches(of: read, in: sources).union(matches(of: known, in: sources))
    #expect(names.count > 40)
    for name in names { #expect(page.contains("`\(name)`"), "docs/environment.md does not explain \(name)") }

    // PostgreSQL's variables are read by libpq, NAME is a placeholder, and one variable is internal.
    let others: Set = ["PGPASSFILE", "PGPASSWORD", "NAME", "FLOWRUN_STOP"]
    let named = try matches(of: "`([A-Z][A-Z0-9_]{2,})`", in: page).subtracting(others)
    let literals = try matches(of: #""([A-Z][A-Z0-9_]{2,})""#, in: sources)
    #expect(named.subtracting(literals) == [], "no source names these")
  }

  @Test func `the environment page lists every folder used in the sources`() throws {
    let folders = try matches(
      of: #""[^" \n]*?(\.flowrun/[a-z.]+|\.flowrun-|flowrun/plugins|flowrun-(?:files|inputs)-)"#, in: sources)
    #expect(folders.count > 4)
    for folder in folders where folder != "flowrun-inputs-" {
      #expect(page.contains(folder), "docs/environment.md does not have \(folder)")
    }
    #expect(page.contains("`flowrun-…` in `TMPDIR`"))
  }
}
