import FlowModel
import FlowPluginKit
import FlowPlatform

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Verifies that the essential files of an application exist and have at least their listed sizes (R6).
struct CheckResources: Action {
  static let name = "footprint.check-resources"
  static let summary = "Verifies that every file which a manifest lists is there and has its size"
  static let errors = [
    ErrorDeclaration(
      "manifest-invalid", "The manifest cannot be read or lists no files; correct it", isRetryable: false),
    ErrorDeclaration(
      "resources-missing", "Files that the manifest lists are missing or cut off; install them again",
      isRetryable: false),
  ]
  static let example = """
    uses: footprint.check-resources
    with: { manifest: launch/manifest.json }
    """

  struct Input: ActionInput {
    @Field("A JSON object: file names, relative to the manifest, with their least sizes in bytes") var manifest:
      SourcePath
  }

  struct Output: ActionOutput {
    var count: Int

    static let summaries = ["count": "How many files were found whole"]
  }

  func run(_ input: Input, in context: ActionContext) throws -> Output {
    let path = input.manifest.path
    guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)),
      let files = (try? JSONText.parse(Array(data)))?.objectValue, !files.isEmpty
    else {
      throw ActionError(
        "manifest-invalid", "'\(path)' is not a JSON object of file names and sizes", isRetryable: false)
    }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    let missing = files.compactMap { name, size -> String? in
      guard let least = size.integerValue else { return "\(name) (its size in the manifest is not a number)" }
      // `FileManager` is not used, because without full Foundation its sizes do not have the type `Int`.
      var status = stat()
      guard stat(folder.appendingPathComponent(name).path, &status) == 0 else { return "\(name) (missing)" }
      let found = Int(status.st_size)
      return found < least ? "\(name) (\(found) of \(least) bytes)" : nil
    }
    guard missing.isEmpty else {
      throw ActionError(
        "resources-missing", "of the files that '\(path)' lists: \(missing.joined(separator: ", "))",
        isRetryable: false)
    }
    return Output(count: files.count)
  }
}
