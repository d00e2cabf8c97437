// swift-tools-version: 6.1
import PackageDescription

// An app's launch of 65 steps, both compiled into the program and written by hand. It is a separate package, like an
// app. The launch that is read from YAML is a target of flowrun's package.
let package = Package(
  name: "LaunchBenchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "flowrun", path: "../..")],
  targets: [
    .target(name: "Stopwatch"),
    .executableTarget(
      name: "CompiledLaunch", dependencies: ["Stopwatch", .product(name: "FlowKit", package: "flowrun")],
      plugins: [.plugin(name: "FlowrunBuildPlugin", package: "flowrun")]),
    .executableTarget(name: "HandLaunch", dependencies: ["Stopwatch"]),
    .executableTarget(name: "Hello"),
    .executableTarget(name: "HelloFlowKit", dependencies: [.product(name: "FlowKit", package: "flowrun")]),
  ]
)
