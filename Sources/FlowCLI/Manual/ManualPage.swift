import ArgumentParser

/// A manual page for `man`, generated from the help.
struct ManualPage {
  /// The name of the page's file, such as `flowrun-run.1`.
  let file: String
  /// The content of the file, in the format that `man` reads.
  let text: String

  /// Returns the pages of a command and of all its visible subcommands.
  static func all(of command: any ParsableCommand.Type = FlowCommand.self, named path: [String] = ["flowrun"])
    -> [ManualPage]
  {
    let help = FlowCommand.helpMessage(for: command, columns: 78)
    var pages = [ManualPage(path, abstract: command.configuration.abstract, help: help)]
    for subcommand in command.configuration.subcommands where subcommand.configuration.shouldDisplay {
      guard let name = subcommand.configuration.commandName else { continue }
      pages += all(of: subcommand, named: path + [name])
    }
    return pages
  }

  private init(_ path: [String], abstract: String, help: String) {
    let name = path.joined(separator: "-")
    file = name + ".1"
    var sections: [(title: String, lines: [String])] = []
    for line in help.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if let (title, rest) = Self.title(line) {
        sections.append((title, rest.isEmpty ? [] : [rest]))
      } else if !sections.isEmpty {
        sections[sections.count - 1].lines.append(line)
      }
    }
    // `--help` begins with the description, but a manual page begins with the synopsis.
    if let synopsis = sections.firstIndex(where: { $0.title == "SYNOPSIS" }) {
      sections.insert(sections.remove(at: synopsis), at: 0)
    }
    text = sections.reduce(
      into: ".TH \(name.uppercased()) 1\n.SH NAME\n\(Self.escaped(name)) \\- \(Self.escaped(abstract))\n"
    ) { text, section in
      text += ".SH \(section.title)\n.nf\n"
      for line in section.lines { text += Self.escaped(line) + "\n" }
      text += ".fi\n"
    }
  }

  /// Splits a line such as `USAGE: flowrun …` into the title that manual pages use for it and the rest. Returns nil for
  /// any other line.
  private static func title(_ line: String) -> (title: String, rest: String)? {
    guard let colon = line.firstIndex(of: ":") else { return nil }
    let word = String(line[..<colon])
    guard !word.isEmpty, word.allSatisfy({ $0.isUppercase || $0 == " " }), word.first != " " else { return nil }
    let rest = line[line.index(after: colon)...].drop { $0 == " " }
    return (["OVERVIEW": "DESCRIPTION", "USAGE": "SYNOPSIS"][word] ?? word, String(rest))
  }

  /// Escapes the characters that are special in the format of `man`.
  private static func escaped(_ line: String) -> String {
    let text = line.replacing("\\", with: "\\e").replacing("-", with: "\\-")
    return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
  }
}
