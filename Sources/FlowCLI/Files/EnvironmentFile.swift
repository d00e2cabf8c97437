import FlowCommandKit
import FlowDiagnostics
import FlowExpressions
import FlowModel

/// A file of variables as other tools read it: lines `NAME=value`, with comments, quotes and an `export` before the name.
///
/// Nothing is put in for `$NAME`: a value is what is there.
enum EnvironmentFile {
  /// What a line says wrongly.
  struct LineProblem: Error, Hashable {
    var line: Int
    var message: String
  }

  /// The variables of a workflow's files, later ones above earlier ones; throws an ``InvalidWorkflow`` where one cannot be
  /// read, is malformed, or has a name that cannot be evaluated with these inputs.
  static func values(
    of workflow: Workflow, in folder: String, inputs: ValueObject
  ) throws(InvalidWorkflow) -> ValueObject {
    var values = ValueObject()
    for template in workflow.environmentFiles {
      let name: String?
      do throws(ExpressionError) {
        name = try Self.name(template, inputs: inputs)
      } catch {
        throw InvalidWorkflow(description: "flowrun: env-file: \(TerminalText.visible(error.description))\n")
      }
      guard let name else { continue }
      for (variable, value) in try Self.values(of: name, in: folder) { values[variable] = value }
    }
    return values
  }

  /// The same for the files that a workflow includes, by their scopes' numbers.
  static func scopeValues(of workflow: Workflow, in folder: String) throws(InvalidWorkflow) -> [Int: ValueObject] {
    var values: [Int: ValueObject] = [:]
    for (number, scope) in workflow.scopes.enumerated() {
      for name in scope.environmentFiles {
        let own = try Self.values(of: scope.path(of: name), in: folder)
        for (variable, value) in own { values[number, default: [:]][variable] = value }
      }
    }
    return values
  }

  /// The path that an element of `env-file` states; nil if an expression gives null or an empty text: no file.
  static func name(_ template: String, inputs: ValueObject) throws(ExpressionError) -> String? {
    guard Template.containsExpression(template) else { return template }
    let value = try Template(parsing: template).evaluate(in: FixedContext(["inputs": .object(inputs)]))
    switch value {
    case .null, .string(""): return nil
    case .string(let name): return name
    default:
      throw ExpressionError(
        .evaluation, "expected the path of a file, found \(value.shortText)", offset: 0, length: template.utf8.count)
    }
  }

  /// The absolute path of a file of variables that a workflow in `folder` names.
  static func path(of name: String, in folder: String) -> String { name.hasPrefix("/") ? name : "\(folder)/\(name)" }

  private static func values(of name: String, in folder: String) throws(InvalidWorkflow) -> ValueObject {
    let shown = TerminalText.visible(name)
    do {
      return try parse(try FileAccess.text(path(of: name, in: folder)))
    } catch let problem as LineProblem {
      throw InvalidWorkflow(description: "\(shown):\(problem.line): error: \(TerminalText.visible(problem.message))\n")
    } catch {
      throw InvalidWorkflow(
        description: "flowrun: cannot read the env-file \(error); create it, or remove 'env-file'\n")
    }
  }

  /// The variables of a text; of two of one name the last counts.
  static func parse(_ text: String) throws(LineProblem) -> ValueObject {
    var values = ValueObject()
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      var rest = line.drop { $0 == " " || $0 == "\t" }
      if rest.isEmpty || rest.first == "#" { continue }
      if rest.hasPrefix("export ") { rest = rest.dropFirst(7).drop { $0 == " " } }
      let name = rest.prefix { $0 != "=" && $0 != " " && $0 != "\t" }
      guard rest.dropFirst(name.count).first == "=", isName(name) else {
        throw LineProblem(line: index + 1, message: "expected NAME=value, found '\(rest.prefix(40))'")
      }
      values[String(name)] = .string(try value(rest.dropFirst(name.count + 1), line: index + 1))
    }
    return values
  }

  private static func isName(_ name: Substring) -> Bool {
    guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
    return name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
  }

  private static func value(_ text: Substring, line: Int) throws(LineProblem) -> String {
    let text = text.drop { $0 == " " || $0 == "\t" }
    guard let quote = text.first, quote == "\"" || quote == "'" else {
      // A comment begins behind a space.
      var value = ""
      for character in text {
        if character == "#", value.last == " " || value.last == "\t" || value.isEmpty { break }
        value.append(character)
      }
      while let last = value.last, last == " " || last == "\t" { value.removeLast() }
      return value
    }
    var value = ""
    var isEscaped = false
    var rest = text.dropFirst()
    while let character = rest.popFirst() {
      if isEscaped {
        value += ["n": "\n", "t": "\t", "r": "\r"][character] ?? String(character)
        isEscaped = false
      } else if character == "\\", quote == "\"" {
        isEscaped = true
      } else if character == quote {
        let after = rest.drop { $0 == " " || $0 == "\t" }
        guard after.isEmpty || after.first == "#" else {
          throw LineProblem(line: line, message: "'\(after.prefix(40))' follows the closing quote")
        }
        return value
      } else {
        value.append(character)
      }
    }
    throw LineProblem(line: line, message: "the quote \(quote) is never closed")
  }
}
