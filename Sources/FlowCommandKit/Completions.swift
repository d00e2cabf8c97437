import ArgumentParser
import FlowDiagnostics
import FlowSystem

/// What the shell proposes for arguments, and what was probably meant by one that names nothing.
package enum Completions {
  /// Workflow files.
  package static let files = CompletionKind.file(extensions: ["yaml", "yml"])

  /// The workflow files of the folder that is typed, and of the folders in it.
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

  /// The number of files that are proposed, and how many names of a folder are looked into.
  private static let fileLimit = 200
  private static let folderLimit = 200

  /// Asks for the nearest workflow file where there is none of this name.
  package static func question(_ file: String) -> String {
    guard !FilePath.exists(file) else { return "" }
    return NearestName.question(file, among: files(at: file)).map { "; " + $0 } ?? ""
  }
}
