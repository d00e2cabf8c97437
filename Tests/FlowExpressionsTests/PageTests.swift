import FlowExpressions
import FlowModel
import Foundation
import Testing

/// Compares `docs/expressions.md` with the implementation.
struct PageTests {
  private static let text: String = {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../docs/expressions.md")
    return (try? String(contentsOf: page, encoding: .utf8)) ?? ""
  }()

  /// The lines of the page that have the form `EXPRESSION → RESULT`.
  private static let examples: [(source: String, result: String)] = {
    text.components(separatedBy: "```expressions\n").dropFirst()
      .flatMap { $0.components(separatedBy: "\n```")[0].split(separator: "\n") }
      .map { line in
        let parts = line.components(separatedBy: " → ")
        return (parts[0], parts.dropFirst().joined(separator: " → "))
      }
  }()

  @Test func `the page on expressions explains every function`() {
    for function in FunctionPage.all { #expect(Self.text.contains("`\(function.name)("), "\(function.name)") }
  }

  @Test func `the page on expressions has more than 35 examples`() { #expect(Self.examples.count > 35) }

  @Test(arguments: examples) func `the examples on expressions are correct`(source: String, result: String) throws {
    do throws(ExpressionError) {
      let value = try Expression(parsing: source, dialect: .init(names: [])).evaluate(in: FixedContext())
      #expect(JSONText.write(value) == result)
    } catch {
      #expect("error: \(error.kind.rawValue)" == result, "\(error)")
    }
  }
}
