import ArgumentParser
import FlowDiagnostics
import FlowSystem

/// Shell completions of arguments, and suggestions for misspelled arguments.
package enum Completions {
  /// Completes an argument with the path of a YAML file.
  package static let files = CompletionKind.file(extensions: ["yaml", "yml"])

  /// Returns the workflow files in the typed folder and in its subfolders.
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

  /// The maximum number of files that are proposed, and of subfolders that are searched.
  private static let fileLimit = 200
  private static let folderLimit = 200

  /// Returns a question that suggests the most similar workflow file. Returns an empty string if a file with this name
  /// exists or none is similar.
  package static func question(_ file: String) -> String {
    guard !FilePath.exists(file) else { return "" }
    return NearestName.question(file, among: files(at: file)).map { "; " + $0 } ?? ""
  }
}
