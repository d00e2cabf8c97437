import Foundation
import Synchronization
import TestSupport
import Testing

/// Checks that imports follow the module graph in ARCHITECTURE.md. A target imports only lower ones, and only some
/// targets use the system's modules.
struct ImportTests {
  /// Returns the targets of the core, lowest first. They are the rows of the table in ARCHITECTURE.md before
  /// `plugins/*`.
  private static func core() throws -> [String] {
    let table = try #require(Repository.text("ARCHITECTURE.md").split(separator: "## The modules, lowest first").last)
    let rows = table.split(separator: "\n").filter { $0.hasPrefix("| `") }.prefix { !$0.hasPrefix("| `plugins/") }
    return rows.map { String($0.dropFirst(3).prefix { $0 != "`" }) }
  }

  @Test func `every core target imports only targets above it in the table`() throws {
    let core = try Self.core()
    // These targets combine the core with the plugins, so they come after both in the table.
    let known = Set(core + ["FlowApple", "FlowCLI", "flowrun", "FlowUI", "flowrun-ui"] + Self.addedToTheFrame)
    let folders = Set(
      [".swift", ".c", ".h", ".modulemap"].flatMap { Repository.files(below: "Sources", ending: $0) }
        .map { String($0.split(separator: "/")[1]) })
    // The targets of system libraries contain no code.
    #expect(folders.subtracting(known) == ["CLibYAML", "CSQLite", "CZlib"])
    var seen = 0
    for (place, target) in core.enumerated() {
      let forbidden = Set(core[place...])
      for file in Repository.files(below: "Sources/\(target)", ending: ".swift") where !Self.isCarried(file) {
        seen += 1
        for module in try imports(of: file) {
          #expect(!forbidden.contains(module), "\(file) imports \(module)")
          #expect(!module.hasSuffix("Plugin") || module == "PackagePlugin", "\(file) imports \(module)")
          #expect(module != "FlowCLI", "\(file) imports \(module)")
        }
      }
    }
    #expect(seen > 300)
  }

  /// The modules that add subcommands, executors and run stores to `FlowCLI`.
  private static let addedToTheFrame = [
    "FlowInsightCommands", "FlowEditorCommands", "FlowExecutorCommands", "FlowRunStores",
  ]

  @Test func `FlowCLI imports neither the modules that extend it nor their dependencies`() throws {
    let added = Set(
      Self.addedToTheFrame + [
        "FlowExecutors", "FlowInsight", "FlowLanguageServer", "FlowStoreSQLite", "FlowStorePostgres",
      ])
    for file in Repository.files(below: "Sources/FlowCLI", ending: ".swift") {
      #expect(try added.isDisjoint(with: imports(of: file)), "\(file) imports one of \(added.sorted())")
    }
    #expect(try Set(Self.addedToTheFrame).isSubset(of: imports(of: "Sources/flowrun/Flowrun.swift")))
  }

  @Test func `every target imports only its dependencies in Package.swift`() throws {
    let manifest = try Manifest.dumped()
    #expect(manifest.targets.count > 60)
    let modules = Set(manifest.targets.map(\.name)).union(manifest.targets.flatMap(\.products))
    var seen = 0
    for target in manifest.targets {
      for file in Repository.files(below: target.folder, ending: ".swift") where !Self.isCarried(file) {
        if target.excluded.contains(where: { file.hasPrefix("\(target.folder)/\($0)/") }) { continue }
        seen += 1
        for module in try imports(of: file) where modules.contains(module) && module != target.name {
          #expect(
            target.dependencies.contains(module), "\(file) imports \(module), which \(target.name) does not declare")
        }
      }
    }
    #expect(seen > 900)
  }

  @Test(arguments: [
    ("import FlowModel", ["FlowModel"]), ("  import struct FlowModel.Value", ["FlowModel"]),
    ("@testable import FlowEngine", ["FlowEngine"]), ("@_spi(Tests) public import FlowStore", ["FlowStore"]),
    ("package import FlowSyntax // for its names", ["FlowSyntax"]), ("// import FlowModel", []),
    ("let text = \"import FlowModel\"", []), ("importer FlowModel", []),
    ("let text = \"\"\"\n  import FlowModel\n  \"\"\"\nimport FlowEngine", ["FlowEngine"]),
  ])
  func `every form of an import statement is recognized`(_ line: String, _ modules: [String]) {
    #expect(Self.imports(in: line) == modules)
  }

  /// True if a file is only a resource for other programs and is not compiled into its target.
  private static func isCarried(_ file: String) -> Bool { file.hasPrefix("Sources/CFlowPluginSupport/Files/") }

  @Test func `only the engine imports Dispatch, and only the loader imports libyaml`() throws {
    for file in Repository.files(below: "Sources", ending: ".swift") {
      let modules = try imports(of: file)
      if !file.hasPrefix("Sources/FlowEngine/") {
        #expect(!modules.contains("Dispatch"), "\(file) imports Dispatch")
      }
      if !file.hasPrefix("Sources/FlowSyntax/") {
        #expect(!modules.contains("CLibYAML"), "\(file) imports CLibYAML")
      }
    }
  }

  @Test func `only FlowSQLite imports SQLite`() throws {
    for file in ["Sources", "plugins", "Tests"].flatMap({ Repository.files(below: $0, ending: ".swift") })
    where !file.hasPrefix("Sources/FlowSQLite/") {
      #expect(try !imports(of: file).contains("CSQLite"), "\(file) imports CSQLite")
    }
  }

  @Test func `S47: plugins import neither the engine nor each other`() throws {
    let files = Repository.files(below: "plugins", ending: ".swift").filter { $0.contains("/Sources/") }
    #expect(files.count > 10)
    for file in files {
      let parts = file.split(separator: "/").map(String.init)
      for module in try imports(of: file) {
        // SyncYAML reads the plugin's schemas, which are YAML. No app needs that module.
        if parts[3] == "SyncYAML", module == "FlowSyntax" { continue }
        #expect(
          !["FlowEngine", "FlowSyntax", "FlowKit", "FlowCLI", "FlowPluginHost"].contains(module),
          "\(file) imports \(module)")
        // The subcommands of a plugin may import the plugin's own module.
        let isOwn = !Repository.files(below: "plugins/\(parts[1])/Sources/\(module)", ending: ".swift").isEmpty
        if module.hasSuffix("Plugin") { #expect(isOwn, "\(file) imports \(module)") }
      }
    }
  }

  @Test func `S47: outside FlowApple, only one file of flowrun and one of the build tool import plugins`() throws {
    var own: Set<String> = []
    for file in Repository.files(below: "plugins", ending: ".swift") {
      let parts: [Substring] = file.split(separator: "/")
      if parts[2] == "Sources" { own.insert(String(parts[3])) }
    }
    #expect(own.count > 20)
    for file in Repository.files(below: "Sources", ending: ".swift")
    where !Self.isCarried(file) && !file.hasPrefix("Sources/FlowApple/")
      && !["Sources/FlowCLI/BuiltInPlugins.swift", "Sources/flowrun-build/BuiltInFileKinds.swift"].contains(file)
    {
      #expect(try own.isDisjoint(with: imports(of: file)), "\(file) imports a module of a plugin")
    }
    let root = try Set(imports(of: "Sources/FlowCLI/BuiltInPlugins.swift"))
    #expect(own.filter { $0.hasSuffix("Plugin") }.isSubset(of: root))
  }

  @Test func `only the listed files import the system's modules`() throws {
    // Files that are copied to external plugins must have no dependencies. The socket names the module because its
    // methods hide system functions of the same names.
    let apart = ["Sources/FlowPlatform/Platform.swift", "plugins/sync/Sources/SyncHTTP/HTTPSocket.swift"]
    let files =
      Repository.files(below: "Sources", ending: ".swift")
      + Repository.files(below: "plugins", ending: ".swift").filter { $0.contains("/Sources/") }
    #expect(files.count > 200)
    for file in files where !apart.contains(file) && !file.hasPrefix("Sources/CFlowPluginSupport/Files/") {
      for module in try imports(of: file) {
        #expect(!["Glibc", "Musl", "Darwin"].contains(module), "\(file) imports \(module)")
      }
    }
  }

  /// The imports of files that were already read.
  private static let known = Mutex<[String: [String]]>([:])

  private func imports(of file: String) throws -> [String] {
    if let imports = Self.known.withLock({ $0[file] }) { return imports }
    let imports = try Self.imports(in: Repository.text(file))
    Self.known.withLock { $0[file] = imports }
    return imports
  }

  static func imports(in text: String) -> [String] {
    // A multiline string literal may contain a file of another package.
    let code = text.split(separator: "\"\"\"", omittingEmptySubsequences: false).enumerated().filter {
      $0.offset % 2 == 0
    }
    return code.flatMap { $0.element.split(separator: "\n") }.compactMap { line in
      var words = line.split(separator: " ")[...]
      let levels: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
      words = words.drop { $0.hasPrefix("@") || levels.contains($0) }
      guard words.popFirst() == "import" else { return nil }
      let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var", "actor"]
      words = words.drop { kinds.contains($0) }
      return words.first.map { String($0.prefix { $0 != "." }) }
    }
  }
}
