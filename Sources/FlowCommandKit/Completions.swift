import ArgumentParser
import FlowDiagnostics
import FlowSystem

/// Shell completions of arguments, and suggestions for misspelled arguments.
package enum Completions {
  /// Workflow files.
  package static let files = CompletionKind.file(extensions: ["yaml", "yml"])

  /// Returns the workflow files in the folder being typed and in its subfolders.
  package static func files(at typed: String) -> [String] {
    let folder = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? ""
    let names = (FilePath.names(in: folder.isEmpty ? "." : folder) ?? []).filter { !$0.hasPrefix(".") }
    let nested = names.prefix(folderLimit).flatMap { name in
      (FilePath.names(in: folder + name) ?? []).filter { !$0.hasPrefix(".") }.map { "\(name)/\($0)" }
    }
    return (names + nested).filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }.prefix(fileLimit).map {
      folder + $0
    }
  }

  /// The maximum number of proposed files, and of names read in a folder.
  private static let fileLimit = 200
  private static let folderLimit = 200

  /// Returns a question that suggests the most similar workflow file if there is no file of this name.
  package static func question(_ file: String) -> String {
    guard !FilePath.exists(file) else { return "" }
    return NearestName.question(file, among: files(at: file)).map { "; " + $0 } ?? ""
  }
}
