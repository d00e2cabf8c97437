// swift-tools-version: 6.1
import PackageDescription

// Two versions of an app's launch with 65 steps: one is compiled by flowrun's build plugin, the other is plain Swift
// without flowrun. They are in a separate package that depends on flowrun, as an app is. The version that reads YAML is
// a target of flowrun's own package.
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
