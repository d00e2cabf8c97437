// swift-tools-version: 6.1
import PackageDescription

// Apart from the other benchmarks, because it builds the sync server: Hummingbird, libpq and TLS.
let package = Package(
  name: "SyncBenchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "flowrun", path: "../../..", traits: ["Network"]),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", exact: "0.2.0"),
  ],
  targets: [
    .systemLibrary(name: "BareSQLite", path: "Sources/BareSQLite", pkgConfig: "sqlite3"),
    .executableTarget(
      name: "SyncBenchmarks",
      dependencies: [
        .product(name: "SyncKit", package: "flowrun"), .product(name: "SyncServerKit", package: "flowrun"),
        .product(name: "SyncSimulation", package: "flowrun"), .product(name: "SyncYAML", package: "flowrun"),
        "BareSQLite",
        .product(name: "Histogram", package: "hdrhistogram-swift"),
      ]),
  ]
)
