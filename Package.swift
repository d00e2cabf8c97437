// swift-tools-version: 6.1
import PackageDescription

// The targets, lowest first: each may use only what is named behind it. ARCHITECTURE.md tells what each knows.

let network = TargetDependencyCondition.when(traits: ["Network"])

/// The plugins that come with flowrun, each a product for apps.
let builtInPlugins = [
  "BasicsPlugin", "GeocodePlugin", "LocationPlugin", "NotificationPlugin", "PreferencesPlugin", "RouterPlugin",
  "ShellPlugin", "StoragePlugin", "SyncPlugin", "UserInterfacePlugin",
]

let package = Package(
  name: "flowrun",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .executable(name: "flowrun", targets: ["flowrun"]),
    .executable(name: "flowrun-sync-server", targets: ["flowrun-sync-server"]),
    .library(name: "FlowCLI", targets: ["FlowCLI"]),
    .library(name: "FlowKit", targets: ["FlowKit"]),
    .library(name: "FlowKitYAML", targets: ["FlowKitYAML"]),
    .library(name: "FlowPluginKit", targets: ["FlowPluginKit"]),
    .library(name: "FlowPluginHost", targets: ["FlowPluginHost"]),
    .library(name: "FlowTestKit", targets: ["FlowTestKit"]),
    .plugin(name: "FlowrunBuildPlugin", targets: ["FlowrunBuildPlugin"]),
    .library(name: "RouterCore", targets: ["RouterCore"]),
    .library(
      name: "SyncKit",
      targets: [
        "SyncCore", "SyncRecords", "SyncPomodoro", "SyncEngine", "SyncSQLite", "SyncHTTP", "SyncTestKit",
      ]),
    .library(name: "SyncMetrics", targets: ["SyncMetrics"]),
    .library(name: "SyncServerKit", targets: ["SyncPostgres", "SyncServer"]),
    .library(name: "CPostgreSQL", targets: ["CPostgreSQL"]),
    .library(name: "GeocodeCore", targets: ["GeocodeCore"]),
  ] + builtInPlugins.map { .library(name: $0, targets: [$0]) },
  traits: [
    .trait(
      name: "Network",
      description:
        "All that talks to servers: the client and the server of sync, and how synchronizing stands as metrics")
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
    .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
  ],
  targets: core("FlowBytes", tests: [])
    + [.target(name: "CFlowPlatform", path: "Sources/CFlowPlatform")]
    + core("FlowPlatform", uses: ["CFlowPlatform"], tests: [])
    + [.target(name: "CFlowProcess", path: "Sources/CFlowProcess")]
    + core("FlowSystem", uses: ["FlowPlatform", "CFlowProcess"], tests: ["TestSupport"])
    + [
      .systemLibrary(
        name: "CSQLite", path: "Sources/CSQLite", pkgConfig: "sqlite3",
        providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])])
    ]
    + core("FlowSQLite", uses: ["FlowPlatform", "CSQLite"], tests: ["FlowPlatform"])
    + core("FlowDiagnostics", tests: [])
    + core("FlowModel", uses: ["FlowDiagnostics"], tests: ["FlowTestKit"])
    + core("FlowExpressions", uses: ["FlowDiagnostics", "FlowModel"], tests: ["FlowModel", "FlowTestKit"])
    + core(
      "FlowCompiled", uses: ["FlowBytes", "FlowDiagnostics", "FlowModel"],
      tests: ["FlowBytes", "FlowDiagnostics", "FlowModel", "FlowSyntax", "FlowPluginKit", "BasicsPlugin"])
    + [.systemLibrary(name: "CLibYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])])]
    + core(
      "FlowSyntax", uses: ["FlowBytes", "FlowDiagnostics", "FlowModel", "FlowExpressions", "FlowCompiled", "CLibYAML"],
      tests: ["FlowBytes", "FlowDiagnostics", "FlowModel", "FlowExpressions", "TestSupport"])
    + core("FlowPluginKit", uses: ["FlowModel"])
    + [.target(name: "CFlowStore", path: "Sources/CFlowStore")]
    + core(
      "FlowStore", uses: ["CFlowStore", "FlowBytes", "FlowDiagnostics"],
      tests: ["FlowStoreSQLite", "FlowPlatform", "FlowModel", "FlowTestKit"])
    + core("FlowStoreSQLite", uses: ["FlowPlatform", "FlowSQLite", "CFlowStore", "FlowStore"])
    + [.target(name: "CPostgreSQL", path: "Sources/CPostgreSQL")]
    + core("FlowPostgres", uses: ["FlowPlatform", .target(name: "CPostgreSQL", condition: network)])
    + core(
      "FlowStorePostgres", uses: ["FlowPlatform", "FlowStore", "FlowPostgres"],
      tests: ["FlowStore", "FlowTestKit", "TestSupport", "flowrun"])
    + [.target(name: "CFlowClock", path: "Sources/CFlowClock")]
    + core(
      "FlowEngine",
      uses: [
        "CFlowClock", "FlowBytes", "FlowPlatform", "FlowDiagnostics", "FlowModel", "FlowExpressions", "FlowPluginKit",
        "FlowStore",
      ],
      tests: ["FlowBytes", "FlowModel", "FlowPluginKit", "FlowStore", "FlowStoreSQLite", "BasicsPlugin", "FlowTestKit"])
    + core(
      "FlowInsight", uses: ["FlowBytes", "FlowModel", "FlowExpressions", "FlowEngine"],
      tests: ["FlowModel", "FlowPluginKit", "FlowEngine", "BasicsPlugin", "FlowTestKit"], fixtures: ["Recordings"])
    + [.target(name: "FlowPluginSupport", resources: [.embedInCode("Files")])]
    + core(
      "FlowPluginHost",
      uses: [
        "FlowBytes", "FlowSystem", "FlowDiagnostics", "FlowModel", "FlowSyntax", "FlowPluginKit", "FlowPluginSupport",
      ],
      tests: ["FlowModel", "FlowSyntax", "FlowPluginKit", "FlowTestKit"], fixtures: ["Children"])
    + [.systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])])]
    + core(
      "FlowExecutors",
      uses: ["CZlib", "FlowSystem", "FlowDiagnostics", "FlowModel", "FlowSyntax", "FlowPluginKit", "FlowPluginHost"],
      tests: [
        "FlowSystem", "FlowModel", "FlowSyntax", "FlowPluginKit", "FlowPluginHost", "FlowTestKit", "BasicsPlugin",
        "ShellPlugin", "TestSupport", "flowrun",
      ])
    + core(
      "FlowLanguageServer", uses: ["FlowPlatform", "FlowDiagnostics", "FlowModel", "FlowSyntax"],
      tests: ["FlowSystem", "FlowDiagnostics", "FlowModel", "FlowSyntax", "FlowTestKit"])
    + core(
      "FlowKit", uses: ["FlowDiagnostics", "FlowModel", "FlowCompiled", "FlowPluginKit", "FlowEngine"],
      tests: ["FlowSyntax", "BasicsPlugin"])
    + core("FlowKitYAML", uses: ["FlowKit", "FlowSyntax"])
    + core(
      "FlowBuild", uses: ["FlowDiagnostics", "FlowModel", "FlowCompiled", "FlowSyntax"], tests: ["TestSupport"])
    + [
      .executableTarget(
        name: "flowrun-build", dependencies: ["FlowBuild"], path: "Sources/flowrun-build"),
      .plugin(
        name: "FlowrunBuildPlugin", capability: .buildTool(), dependencies: ["flowrun-build"],
        path: "Sources/FlowrunBuildPlugin"),
    ]
    + core(
      "FlowTestKit",
      uses: ["FlowBytes", "FlowModel", "FlowExpressions", "FlowPluginKit", "FlowStore", "FlowEngine", "FlowInsight"],
      tests: ["FlowModel", "FlowEngine"])
    + [
      .testTarget(
        name: "SimulationTests",
        dependencies: ["FlowModel", "FlowStore", "FlowEngine", "FlowInsight", "FlowTestKit", "TestSupport"])
    ]
    + plugin("flow", target: "BasicsPlugin")
    + plugin("preferences")
    + plugin("ui", target: "UserInterfacePlugin")
    + plugin("shell", uses: ["FlowSystem"])
    + plugin("storage", uses: ["FlowSQLite"])
    + values("GeocodeCore", of: "geocode", uses: ["FlowBytes", "FlowPlatform"], tests: [])
    + plugin("geocode", uses: ["GeocodeCore"], resources: [.copy("Tables")])
    + plugin("location")
    + values("RouterCore", of: "router", uses: ["FlowDiagnostics", "FlowModel"], tests: ["FlowModel", "FlowTestKit"])
    + plugin("router", uses: ["FlowDiagnostics", "RouterCore"])
    + plugin("notification")
    + values("SyncCore", of: "sync", uses: ["FlowBytes"], tests: ["FlowBytes", "SyncPomodoro"])
    + values(
      "SyncPomodoro", of: "sync", uses: ["FlowModel", "SyncCore", "SyncEngine", "SyncRecords"], tests: nil)
    + values(
      "SyncRecords", of: "sync", uses: ["FlowDiagnostics", "FlowModel", "FlowSyntax", "SyncCore", "SyncEngine"],
      tests: ["FlowDiagnostics", "FlowModel", "SyncCore"])
    + values(
      "SyncEngine", of: "sync", uses: ["FlowBytes", "SyncCore"],
      tests: ["FlowBytes", "SyncCore", "SyncRecords", "SyncPomodoro", "SyncTestKit", "TestSupport"])
    + values(
      "SyncTestKit", of: "sync", uses: ["FlowBytes", "SyncCore", "SyncRecords", "SyncPomodoro", "SyncEngine"],
      tests: nil)
    + values(
      "SyncSQLite", of: "sync",
      uses: ["FlowPlatform", "FlowSQLite", "SyncCore", "SyncEngine"],
      tests: ["FlowSQLite", "SyncCore", "SyncPomodoro", "SyncEngine", "SyncTestKit"])
    + values("SyncWire", of: "sync", uses: ["FlowModel", "SyncCore", "SyncEngine"], tests: ["SyncCore", "SyncEngine"])
    + values(
      "SyncHTTP", of: "sync",
      uses: [
        "FlowPlatform", "SyncCore", "SyncEngine", "SyncWire",
        .product(name: "AsyncHTTPClient", package: "async-http-client", condition: network),
        .product(name: "NIOCore", package: "swift-nio", condition: network),
        .product(name: "NIOHTTP1", package: "swift-nio", condition: network),
        .product(name: "NIOPosix", package: "swift-nio", condition: network),
        .product(name: "NIOSSL", package: "swift-nio-ssl", condition: network),
      ], tests: nil)
    + values(
      "SyncMetrics", of: "sync",
      uses: ["SyncCore", "SyncEngine", .product(name: "Metrics", package: "swift-metrics", condition: network)],
      tests: [
        "SyncCore", "SyncEngine", "SyncPomodoro",
        .product(name: "MetricsTestKit", package: "swift-metrics", condition: network),
      ])
    + plugin(
      "sync",
      uses: [
        "FlowBytes", "FlowDiagnostics", "SyncCore", "SyncPomodoro", "SyncRecords", "SyncEngine", "SyncSQLite",
        "SyncTestKit", .target(name: "SyncHTTP", condition: network), .target(name: "SyncMetrics", condition: network),
      ])
    + core(
      "FlowCLI",
      uses: [
        "FlowSystem", "FlowDiagnostics", "FlowModel", "FlowExpressions", "FlowCompiled", "FlowSyntax", "FlowPluginKit",
        "FlowStore",
        "FlowStoreSQLite", .target(name: "FlowStorePostgres", condition: network), "FlowEngine", "FlowInsight",
        "FlowPluginHost", "FlowExecutors", "FlowLanguageServer", "BasicsPlugin", "GeocodePlugin",
        "LocationPlugin", "NotificationPlugin",
        "PreferencesPlugin", "RouterPlugin", "ShellPlugin", "StoragePlugin", "SyncPlugin", "SyncRecords",
        "UserInterfacePlugin",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "AsyncHTTPClient", package: "async-http-client", condition: network),
        .product(name: "NIOCore", package: "swift-nio", condition: network),
      ],
      tests: [
        "FlowDiagnostics", "FlowModel", "FlowSyntax", "FlowPluginKit", "FlowStore", "FlowStoreSQLite", "FlowEngine",
        "FlowPluginHost", "FlowTestKit", "TestSupport", "flowrun",
      ])
    + [.executableTarget(name: "flowrun", dependencies: ["FlowCLI"], path: "Sources/flowrun")]
    + syncServer()
    + [
      .target(name: "TestSupport", path: "Tests/TestSupport"),
      .testTarget(name: "NotificationWorkflowTests", dependencies: ["FlowModel", "TestSupport", "flowrun"]),
      .testTarget(
        name: "TidyTests", dependencies: ["FlowKitYAML", "BasicsPlugin", "TestSupport", "flowrun"],
        exclude: ["FlowKitSymbols.txt"]),
      .testTarget(name: "WorkflowTests", dependencies: ["FlowSQLite", "FlowModel", "TestSupport", "flowrun"]),
    ]
)

/// The sync server and its database, which exist only with the package trait `Network`; `flowrun` never links them.
func syncServer() -> [Target] {
  values(
    "SyncPostgres", of: "sync", uses: ["FlowPlatform", "FlowPostgres", "SyncCore", "SyncEngine"], tests: nil)
    + values(
      "SyncServer", of: "sync",
      uses: [
        "FlowPlatform", "SyncCore", "SyncEngine", "SyncWire",
        .product(name: "Hummingbird", package: "hummingbird", condition: network),
        .product(name: "HummingbirdCore", package: "hummingbird", condition: network),
        .product(name: "HummingbirdTLS", package: "hummingbird", condition: network),
        .product(name: "Logging", package: "swift-log", condition: network),
        .product(name: "NIOCore", package: "swift-nio", condition: network),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: network),
        .product(name: "NIOSSL", package: "swift-nio-ssl", condition: network),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: network),
      ],
      tests: [
        "FlowBytes", "FlowModel", "SyncCore", "SyncPomodoro", "SyncEngine", "SyncSQLite", "SyncTestKit", "SyncHTTP",
        "SyncWire", "SyncPostgres", "flowrun-sync-server", "flowrun", "TestSupport",
      ])
    + [
      .executableTarget(
        name: "flowrun-sync-server",
        dependencies: [
          "FlowPlatform", "SyncPomodoro", "SyncEngine", "SyncSQLite", "SyncPostgres", "SyncServer",
          .product(name: "ArgumentParser", package: "swift-argument-parser", condition: network),
        ], path: "plugins/sync/Sources/flowrun-sync-server")
    ]
}

/// A target of the core under `Sources`, with its tests under `Tests` where `tests` names what they use besides it;
/// `fixtures` are files next to them that the tests read in their place.
func core(
  _ name: String, uses: [Target.Dependency] = [], tests: [Target.Dependency]? = nil, fixtures: [String] = []
) -> [Target] {
  [.target(name: name, dependencies: uses, path: "Sources/\(name)")]
    + (tests.map {
      [.testTarget(name: "\(name)Tests", dependencies: [.byName(name: name)] + $0, exclude: fixtures)]
    } ?? [])
}

/// A built-in plugin under `plugins/<name>`, with its tests; `uses` names what it needs besides the plugin interface.
/// No plugin may use another or the engine.
/// `target` is its module where that is not the folder's name with `Plugin` behind it; `resources` are files that it
/// reads at run time.
func plugin(
  _ name: String, target: String? = nil, uses: [Target.Dependency] = [], resources: [Resource] = []
) -> [Target] {
  let target = target ?? name.prefix(1).uppercased() + name.dropFirst() + "Plugin"
  return [
    .target(
      name: target, dependencies: ["FlowPlatform", "FlowModel", "FlowPluginKit"] + uses,
      path: "plugins/\(name)/Sources/\(target)", exclude: ["\(name).plugin.yaml"],
      resources: resources),
    .testTarget(
      name: "\(target)Tests",
      dependencies: [.byName(name: target), "FlowModel", "FlowPluginKit", "FlowTestKit", "TestSupport"] + uses,
      path: "plugins/\(name)/Tests/\(target)Tests"),
  ]
}

/// The values of a plugin's field, under `plugins/<plugin>/Sources/<name>`, with their tests: they know neither the
/// plugin interface nor the world.
func values(
  _ name: String, of plugin: String, uses: [Target.Dependency] = ["FlowModel"],
  tests: [Target.Dependency]? = ["FlowModel"]
) -> [Target] {
  [.target(name: name, dependencies: uses, path: "plugins/\(plugin)/Sources/\(name)")]
    + (tests.map {
      [
        .testTarget(
          name: "\(name)Tests", dependencies: [.byName(name: name)] + $0, path: "plugins/\(plugin)/Tests/\(name)Tests")
      ]
    } ?? [])
}
