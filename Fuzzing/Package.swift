// swift-tools-version: 6.1
import PackageDescription

// Coverage-guided fuzzing of all code that reads external text. This is a separate package because its targets compile
// the same sources with libFuzzer's instrumentation. `make fuzz` runs it.

let instrumented: [SwiftSetting] = [.unsafeFlags(["-sanitize=fuzzer", "-enable-testing"])]

let package = Package(
  name: "Fuzzing",
  platforms: [.macOS(.v15)],
  targets: [
    .systemLibrary(name: "CLibYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
    .target(name: "CFlowPlatform"),
    .target(name: "FlowBytes", swiftSettings: instrumented),
    .target(
      name: "FlowPlatform", dependencies: ["CFlowPlatform"], exclude: ["PrivacyInfo.xcprivacy"],
      swiftSettings: instrumented),
    .target(name: "FlowDiagnostics", swiftSettings: instrumented),
    .target(name: "FlowModel", dependencies: ["FlowDiagnostics"], swiftSettings: instrumented),
    .target(name: "FlowExpressions", dependencies: ["FlowDiagnostics", "FlowModel"], swiftSettings: instrumented),
    .target(
      name: "FlowCompiled", dependencies: ["FlowBytes", "FlowDiagnostics", "FlowModel"], swiftSettings: instrumented),
    .target(
      name: "FlowSyntax",
      dependencies: [
        "FlowBytes", "FlowPlatform", "FlowDiagnostics", "FlowModel", "FlowExpressions", "FlowCompiled", "CLibYAML",
      ], swiftSettings: instrumented),
    .target(name: "CLibFuzzer"),
    .executableTarget(
      name: "Fuzz", dependencies: ["CLibFuzzer", "FlowDiagnostics", "FlowModel", "FlowExpressions", "FlowSyntax"],
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]),
  ]
)
