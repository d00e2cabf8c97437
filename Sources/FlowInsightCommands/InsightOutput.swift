import ArgumentParser
import FlowCLI
import FlowCommandKit
import FlowModel

/// The options that select the format and the output file.
struct InsightOutput: ParsableArguments {
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json, html
  }

  @Option(help: ArgumentHelp("text, json or html.", valueName: "FORMAT"))
  var format = Format.text

  @Option(
    name: .customShort("o"), help: ArgumentHelp("Writes to this file instead of standard output.", valueName: "FILE"))
  var file: String?

  /// Throws an error if the output file cannot be written. Commands call this before the work starts.
  func check() throws(FileProblem) { if let file { try OutputFile.check(file) } }

  func write(text: (TextStyle) -> String, json: () -> Value, html: () -> String) throws(FileProblem) {
    switch format {
    case .text:
      let text = text(TextStyle(isColored: file == nil && StandardOutput.allowsColor))
      if let file { try OutputFile.write(Array(text.utf8), to: file) } else { StandardOutput.write(text) }
    case .json: try write(JSONText.bytes(of: json(), layout: .indented) + [10])
    case .html: try write(Array(html().utf8))
    }
  }

  private func write(_ bytes: [UInt8]) throws(FileProblem) {
    if let file { try OutputFile.write(bytes, to: file) } else { StandardOutput.write(bytes) }
  }
}
