import Foundation
import TestSupport
import Testing

/// Tests the targets on which `FlowKit` depends. On Apple's platforms, an app must need only the SDK.
struct `The dependencies of FlowKit` {
  @Test(arguments: ["FlowKit", "FlowTestKit"])
  func `FlowKit and FlowTestKit depend on neither YAML nor a database nor processes`(product: String) throws {
    let closure = try Manifest.dumped().closure(ofProduct: product)
    #expect(closure.contains("FlowEngine"))
    let outside: Set = ["CLibYAML", "CSQLite", "CFlowProcess", "CPostgreSQL", "FlowSyntax", "FlowSystem"]
    #expect(closure.isDisjoint(with: outside), "\(closure.intersection(outside))")
  }

  @Test func `other products for apps depend on neither YAML nor processes nor PostgreSQL`() throws {
    let manifest = try Manifest.dumped()
    let products = Set(manifest.products.keys).subtracting(Manifest.notForApps).filter { !$0.hasPrefix("flowrun") }
    #expect(products.isSuperset(of: ["SyncKit", "SyncPlugin", "FlowApple", "FlowObservability", "PomodoroPlugin"]))
    let outside: Set = ["CLibYAML", "CFlowProcess", "CPostgreSQL", "FlowSyntax", "FlowSystem", "ArgumentParser"]
    for product in products.sorted() {
      let closure = manifest.closure(ofProduct: product)
      #expect(closure.isDisjoint(with: outside), "\(product) needs \(closure.intersection(outside).sorted())")
    }
  }

  @Test func `the embedding page mentions every library except plugins`() throws {
    let page = try Repository.text("docs/embedding.md")
    for name in try Manifest.dumped().products.keys.sorted() where !name.hasPrefix("flowrun") {
      // Plugins are documented on their own pages.
      if name.hasSuffix("Plugin"), name != "FlowrunBuildPlugin" { continue }
      #expect(page.contains("`\(name)`"), "docs/embedding.md does not say what \(name) is for")
    }
  }

  @Test func `only the plugin that runs commands depends on processes`() throws {
    let manifest = try Manifest.dumped()
    let plugins = manifest.products.keys.filter { $0.hasSuffix("Plugin") }
    #expect(plugins.count > 9)
    let needing = plugins.filter { manifest.closure(ofProduct: $0).contains("CFlowProcess") }
    #expect(needing == ["ShellPlugin"])
  }

  #if os(Linux)
    @Test func `FlowKit calls only the listed C functions`() throws {
      let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
      let targets = try Manifest.dumped().closure(ofProduct: "FlowKit").sorted()
      // `nm` also prints the paths of the files, which must not contain spaces.
      let objects = targets.map { "\($0).build" }.joined(separator: " ")
      let found = try Shell.run(
        """
        objects=$(find \(objects) -name '*.o')
        comm -23 <(nm -u $objects | awk 'NF == 2 { print $2 }' | sort -u) \\
          <(nm --defined-only $objects | awk 'NF == 3 { print $3 }' | sort -u) |
          grep -vE '^(\\$s|_?_?swift_|__swift)'
        """, in: folder)
      #expect(found.status == 0)
      let calls = Set(found.output.split(separator: "\n").map(String.init))
      #expect(calls.contains("pthread_create"))
      let listed = Set(
        try Repository.text("Tests/TidyTests/FlowKitSymbols.txt").split(separator: "\n").map(String.init))
      #expect(calls.subtracting(listed).sorted() == [])
      let processes: Set = [
        "fork", "vfork", "execve", "posix_spawn", "kill", "signal", "sigaction", "setsid", "setpgid", "waitpid",
      ]
      #expect(listed.isDisjoint(with: processes))
    }
  #endif
}
