// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that who uses flowrun builds none of it.
let package = Package(
  name: "EngineBenchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    // With what is shipped: the program that starts are measured against has the same libraries.
    .package(name: "flowrun", path: "../..", traits: ["Network"])
  ],
  targets: [
    .executableTarget(
      name: "EngineBenchmark",
      dependencies: ["FlowKitYAML", "FlowTestKit"].map { .product(name: $0, package: "flowrun") }),
    .executableTarget(
      name: "StartPeer",
      dependencies: [.product(name: "FlowCLI", package: "flowrun")]),
    .executableTarget(
      name: "PluginCallBenchmark",
      dependencies: ["FlowCLI", "FlowPluginHost", "FlowPluginKit", "FlowTestKit"].map {
        .product(name: $0, package: "flowrun")
      }),
  ]
)
