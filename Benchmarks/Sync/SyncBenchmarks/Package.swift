// swift-tools-version: 6.1
import PackageDescription

// Apart from the other benchmarks, because it builds the sync server: Hummingbird, libpq and TLS.
let package = Package(
  name: "SyncBenchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "flowrun", path: "../../..", traits: ["Network"]),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", exact: "0.2.0"),
  ],
  targets: [
    .executableTarget(
      name: "SyncBenchmarks",
      dependencies: [
        .product(name: "CPostgreSQL", package: "flowrun"), .product(name: "SyncKit", package: "flowrun"),
        .product(name: "SyncServerKit", package: "flowrun"),
        .product(name: "GRDB", package: "GRDB.swift"), .product(name: "Histogram", package: "hdrhistogram-swift"),
      ])
  ]
)
