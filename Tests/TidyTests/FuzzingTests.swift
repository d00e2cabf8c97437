import Testing

/// Tests the package `Fuzzing`, which compiles some sources of this package with the instrumentation of libFuzzer.
struct `The fuzzing package` {
  @Test func `each fuzzing target declares every module that it imports`() throws {
    let modules = Set(Repository.files(below: "Sources", ending: ".swift").map { $0.split(separator: "/")[1] })
    let targets = try Manifest.dumped("Fuzzing").targets
    #expect(targets.contains { $0.name == "FlowSyntax" } && targets.contains { $0.name == "Fuzz" })
    var seen = 0
    for target in targets {
      let folder = modules.contains(target.name[...]) ? target.folder : "Fuzzing/\(target.folder)"
      for file in Repository.files(below: folder, ending: ".swift") {
        seen += 1
        for module in ImportTests.imports(in: try Repository.text(file)) where modules.contains(module[...]) {
          let isDeclared = target.dependencies.contains(module)
          #expect(isDeclared, "\(target.name) does not declare \(module), which \(file) imports")
        }
      }
    }
    #expect(seen > 100)
  }
}
