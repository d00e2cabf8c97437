// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "LaunchApp",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [
    .package(name: "flowrun", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "LaunchApp",
      dependencies: [
        .product(name: "FlowKit", package: "flowrun"),
        .product(name: "FlowApple", package: "flowrun"),
        .product(name: "NotificationPlugin", package: "flowrun"),
        .product(name: "SyncPlugin", package: "flowrun"),
      ],
      plugins: [.plugin(name: "FlowrunBuildPlugin", package: "flowrun")]),
    .testTarget(
      name: "LaunchAppTests",
      dependencies: ["LaunchApp", .product(name: "FlowTestKit", package: "flowrun")]),
  ]
)
