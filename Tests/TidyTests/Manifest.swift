import Foundation
import TestSupport
import Testing

/// The contents of a `Package.swift`, as SwiftPM parses it.
struct Manifest {
  struct Target {
    let name: String
    let folder: String
    let excluded: [String]
    let dependencies: Set<String>
    let products: Set<String>
  }

  /// The products that an app does not use: programs, servers, and products that read YAML or start processes.
  static let notForApps: Set = [
    "FlowCLI", "FlowKitYAML", "FlowPluginHost", "FlowrunBuildPlugin", "ShellPlugin", "SyncServerKit", "SyncYAML",
  ]

  let targets: [Target]
  let products: [String: [String]]

  /// Returns all targets of the package that are part of a product.
  func closure(ofProduct name: String) -> Set<String> {
    let byName = Dictionary(uniqueKeysWithValues: targets.map { ($0.name, $0) })
    var closure: Set<String> = []
    var open = products[name] ?? []
    while let next = open.popLast() {
      guard let target = byName[next], closure.insert(next).inserted else { continue }
      open += target.dependencies
    }
    return closure
  }

  private struct Dump: Decodable {
    struct Target: Decodable {
      let name: String
      let type: String
      let path: String?
      let exclude: [String]
      let dependencies: [[String: [Part?]]]
    }

    /// The name of a dependency. The other properties in the output are ignored.
    struct Part: Decodable {
      let name: String?
      init(from decoder: any Decoder) throws { name = try? decoder.singleValueContainer().decode(String.self) }
    }

    struct Product: Decodable {
      let name: String
      let targets: [String]
    }

    let targets: [Target]
    let products: [Product]
  }

  /// Parses a package with SwiftPM. A separate build folder prevents waiting for another build.
  ///
  /// - Parameter package: The package's folder, relative to the root of the repository.
  static func dumped(_ package: String = ".") throws -> Manifest {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("flowrun-manifest-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let result = try Shell.run(
      "swift package --package-path '\(Repository.root.path)/\(package)' --scratch-path '\(folder.path)' dump-package 2>'\(folder.path).log'"
    )
    defer { try? FileManager.default.removeItem(atPath: "\(folder.path).log") }
    try #require(result.status == 0, "\((try? String(contentsOfFile: "\(folder.path).log", encoding: .utf8)) ?? "")")
    let dump = try JSONDecoder().decode(Dump.self, from: Data(result.output.utf8))
    return Manifest(
      targets: dump.targets.map { target in
        func names(_ kind: (String) -> Bool) -> Set<String> {
          Set(target.dependencies.flatMap { $0.filter { kind($0.key) }.compactMap { $0.value.first??.name } })
        }
        return Target(
          name: target.name,
          folder: target.path ?? (target.type == "test" ? "Tests/\(target.name)" : "Sources/\(target.name)"),
          excluded: target.exclude, dependencies: names { _ in true }, products: names { $0 == "product" })
      }, products: Dictionary(uniqueKeysWithValues: dump.products.map { ($0.name, $0.targets) }))
  }
}
