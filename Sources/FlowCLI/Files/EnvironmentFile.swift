import FlowDiagnostics
import FlowModel

/// A file of variables as other tools read it: lines `NAME=value`, with comments, quotes and an `export` before the name.
///
/// Nothing is put in for `$NAME`: a value is what stands there.
enum EnvironmentFile {
  /// What a line says wrongly.
  struct Problem: Error, Hashable {
    var line: Int
    var message: String
  }

  /// The variables of a workflow's `env-file`; throws an ``InvalidWorkflow`` where it cannot be read or is malformed.
  static func values(of workflow: Workflow, in folder: String) throws(InvalidWorkflow) -> ValueObject {
    guard let name = workflow.environmentFile else { return [:] }
    return try values(of: name, in: folder)
  }

  /// The same for the files that a workflow includes, by their scopes' numbers.
  static func scopeValues(of workflow: Workflow, in folder: String) throws(InvalidWorkflow) -> [Int: ValueObject] {
    var values: [Int: ValueObject] = [:]
    for (number, scope) in workflow.scopes.enumerated() {
      guard let name = scope.environmentFile else { continue }
      values[number] = try Self.values(of: scope.path(of: name), in: folder)
    }
    return values
  }

  private static func values(of name: String, in folder: String) throws(InvalidWorkflow) -> ValueObject {
    let path = name.hasPrefix("/") ? name : "\(folder)/\(name)"
    let shown = TerminalText.visible(name)
    do {
      return try parse(try FileAccess.text(path))
    } catch let problem as Problem {
      throw InvalidWorkflow(description: "\(shown):\(problem.line): error: \(TerminalText.visible(problem.message))\n")
    } catch {
      throw InvalidWorkflow(description: "flowrun: cannot read the env-file \(error); make it, or remove 'env-file'\n")
    }
  }

  /// The variables of a text; of two of one name the last counts.
  static func parse(_ text: String) throws(Problem) -> ValueObject {
    var values = ValueObject()
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      var rest = line.drop { $0 == " " || $0 == "\t" }
      if rest.isEmpty || rest.first == "#" { continue }
      if rest.hasPrefix("export ") { rest = rest.dropFirst(7).drop { $0 == " " } }
      let name = rest.prefix { $0 != "=" && $0 != " " && $0 != "\t" }
      guard rest.dropFirst(name.count).first == "=", isName(name) else {
        throw Problem(line: index + 1, message: "expected NAME=value, found '\(rest.prefix(40))'")
      }
      values[String(name)] = .string(try value(rest.dropFirst(name.count + 1), line: index + 1))
    }
    return values
  }

  private static func isName(_ name: Substring) -> Bool {
    guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
    return name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
  }

  private static func value(_ text: Substring, line: Int) throws(Problem) -> String {
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
          throw Problem(line: line, message: "'\(after.prefix(40))' stands behind the closing quote")
        }
        return value
      } else {
        value.append(character)
      }
    }
    throw Problem(line: line, message: "the quote \(quote) is never closed")
  }
}
