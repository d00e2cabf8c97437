// swift-tools-version: 6.1
import PackageDescription

// The targets, lowest first: each may use only what is named behind it. ARCHITECTURE.md tells what each knows.

let package = Package(
  name: "flowrun",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "FlowKit", targets: ["FlowKit"]),
    .library(name: "FlowPluginKit", targets: ["FlowPluginKit"]),
  ],
  dependencies: [],
  targets: core("FlowDiagnostics")
    + core("FlowModel", tests: [])
    + core("FlowExpressions", uses: ["FlowModel"])
    + core("FlowPluginKit", uses: ["FlowModel"])
    + core("FlowEngine", uses: ["FlowDiagnostics", "FlowModel", "FlowExpressions", "FlowPluginKit"])
    + core("FlowKit", uses: ["FlowModel", "FlowPluginKit", "FlowEngine"])
)

/// A target of the core under `Sources`, with its tests under `Tests` where `tests` names what they use besides it.
func core(_ name: String, uses: [Target.Dependency] = [], tests: [Target.Dependency]? = nil) -> [Target] {
  [.target(name: name, dependencies: uses, path: "Sources/\(name)")]
    + (tests.map { [.testTarget(name: "\(name)Tests", dependencies: [.byName(name: name)] + $0)] } ?? [])
}
