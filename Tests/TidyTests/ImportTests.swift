import Testing

/// The module graph is the design: imports point down, and only the edges touch the world.
struct ImportTests {
  /// The core, lowest first, as ARCHITECTURE.md lists it.
  private static let core = [
    "FlowSystem", "FlowDiagnostics", "FlowModel", "FlowExpressions", "FlowSyntax", "FlowPluginKit", "FlowStore",
    "FlowStoreSQLite", "FlowEngine", "FlowInsight", "FlowPluginHost", "FlowLanguageServer", "FlowKit", "FlowTestKit",
  ]

  @Test func `every target of the core imports only what stands above it`() throws {
    var seen = 0
    for (place, target) in Self.core.enumerated() {
      let forbidden = Set(Self.core[place...])
      for file in Repository.files(below: "Sources/\(target)", ending: ".swift") {
        seen += 1
        for module in try imports(of: file) {
          #expect(!forbidden.contains(module), "\(file) imports \(module)")
          #expect(!module.hasSuffix("Plugin") && module != "FlowCLI", "\(file) imports \(module)")
        }
      }
    }
    #expect(seen > 50)
  }

  @Test func `Dispatch is used in the engine alone, libyaml in the loader alone`() throws {
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

  @Test func `S47 plugins know neither the engine nor each other`() throws {
    let files = Repository.files(below: "plugins", ending: ".swift").filter { $0.contains("/Sources/") }
    #expect(files.count > 10)
    for file in files {
      let parts = file.split(separator: "/").map(String.init)
      for module in try imports(of: file) {
        // A plugin's own kind of file is read by the reader of workflows, in one module that knows nothing else of them.
        if parts[3] == "SyncRecords", module == "FlowSyntax" { continue }
        #expect(
          !["FlowEngine", "FlowSyntax", "FlowKit", "FlowCLI", "FlowPluginHost"].contains(module),
          "\(file) imports \(module)")
        if module.hasSuffix("Plugin") { #expect(module == parts[3], "\(file) imports \(module)") }
      }
    }
  }

  @Test func `one file names the platforms, and all others have the system from it`() throws {
    // What is written for a plugin stands alone; the socket calls what its own methods hide by the module's name.
    let apart = ["Sources/FlowSystem/Platform.swift", "plugins/sync/Sources/SyncHTTP/HTTPSocket.swift"]
    let files =
      Repository.files(below: "Sources", ending: ".swift")
      + Repository.files(below: "plugins", ending: ".swift").filter { $0.contains("/Sources/") }
    #expect(files.count > 200)
    for file in files where !apart.contains(file) && !file.hasPrefix("Sources/FlowPluginSupport/Files/") {
      for module in try imports(of: file) {
        #expect(!["Glibc", "Musl", "Darwin"].contains(module), "\(file) imports \(module)")
      }
    }
  }

  private func imports(of file: String) throws -> [String] {
    try Repository.text(file).split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ").map(String.init)
      guard let place = words.firstIndex(of: "import"), place <= 1, words.count > place + 1 else { return nil }
      guard place == 0 || words[0].hasPrefix("@") || words[0] == "public" || words[0] == "internal" else { return nil }
      return words[place + 1]
    }
  }
}
