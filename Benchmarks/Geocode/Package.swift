// swift-tools-version: 6.1
import PackageDescription

// The geocoder by itself; `peers.py` measures it next to two Python packages.
let package = Package(
  name: "GeocodeBenchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "flowrun", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "GeocodeBenchmark",
      dependencies: [.product(name: "GeocodeCore", package: "flowrun")])
  ]
)
