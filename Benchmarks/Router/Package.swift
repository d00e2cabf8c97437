// swift-tools-version: 6.1
import PackageDescription

// The router next to Hummingbird's, in a package of its own, so that no other build waits for Hummingbird.
let package = Package(
  name: "RouterBenchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "flowrun", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
  ],
  targets: [
    .target(name: "CAllocationCount"),
    .executableTarget(
      name: "RouterBenchmark",
      dependencies: [
        "CAllocationCount", .product(name: "RouterCore", package: "flowrun"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ]),
  ]
)
