// swift-tools-version: 6.2
import PackageDescription

let network = TargetDependencyCondition.when(traits: ["Network"])
let observability = TargetDependencyCondition.when(traits: ["Observability"])

/// The plugins that are compiled into `flowrun`, with their subcommands. `BuiltInPlugins.swift` has a line for each.
let builtIn: [Target.Dependency] = [
  "BasicsPlugin", "PreferencesPlugin", "LocationPlugin", "NotificationPlugin", "UserInterfacePlugin", "ShellPlugin",
  "StoragePlugin", "FootprintPlugin", "GeocodePlugin", "RouterPlugin", "RouterCommands", "NotificationCommands",
  "SyncPlugin", "SyncYAML", "SyncCommands", "PomodoroPlugin",
]

/// The frame of `flowrun` and the modules that add subcommands to it.
let flowrun: [Target.Dependency] = [
  "FlowCLI", "FlowInsightCommands", "FlowEditorCommands", "FlowExecutorCommands", "FlowRunStores",
]

/// The modules whose optimization shortens a start most for its time. With `FLOWRUN_QUICK_BUILD`, which `make run` sets, only
/// these are optimized: the optimizer takes three quarters of the processor time of a build. `scripts/release-build` turns it off
/// for all modules, the packages too, and `-Xfrontend` comes after that.
let optimized = ["FlowBytes", "FlowModel", "FlowExpressions", "FlowPluginKit"]
let isQuickBuild = Context.environment["FLOWRUN_QUICK_BUILD"] != nil

/// Files of a target that are not compiled, and files that it reads at run time.
let excluded = ["FlowInsightTests": "Recordings", "FlowPluginHostTests": "Children", "TidyTests": "FlowKitSymbols.txt"]
let resources: [String: Resource] = ["FlowUI": .embedInCode("Page"), "GeocodePlugin": .copy("Tables")]

/// The modules for apps that call functions for which Apple requires a reason. Each has a privacy manifest, except on
/// Linux, because SwiftPM's accessor of resources needs the full Foundation there.
let privacyManifests: Set = [
  "CFlowStore", "FlowEngine", "FlowPlatform", "FlowSQLite", "FlowStoreSQLite", "FootprintPlugin", "GeocodeCore",
  "LocationPlugin", "NotificationPlugin", "StorageCore", "UserInterfacePlugin",
]
let privacyManifest = "PrivacyInfo.xcprivacy"

// MARK: - Packages

/// The minimum version of each package that has the functions used by flowrun; some require newer versions of each
/// other. Only the versions that SwiftPM resolves here are built and tested.
let packages: [Package.Dependency] = [
  package("apple/swift-argument-parser", from: "1.7.0"),  // the functions that `CompletionScript` extends
  package("apple/swift-distributed-tracing", from: "1.3.0"),  // the tracer in memory of the tests
  package("apple/swift-log", from: "1.4.3"),  // `Logger` is `Sendable`
  package("apple/swift-metrics", from: "2.7.0"),  // gauges and counters take a factory
  package("apple/swift-nio", from: "2.58.0"),  // the event loop group that a process shares
  package("apple/swift-nio-extras", from: "1.20.0"),  // the messages that `ConnectionGuard` reads
  package("apple/swift-nio-ssl", from: "2.28.0"),  // a certificate that is chosen for each connection
  package("hummingbird-project/hummingbird", from: "2.19.0", traits: []),  // its traits; flowrun needs none of them
  package("swift-server/async-http-client", from: "1.20.0"),  // an error of its own for slow writing
  package("swift-server/swift-service-lifecycle", from: "2.5.0"),  // `cancelWhenGracefulShutdown`
]

/// A package that only `make docs` needs.
let documentation: [Package.Dependency] =
  Context.environment["FLOWRUN_DOCS"] == nil
  ? [] : [.package(url: "https://github.com/swiftlang/swift-docc-plugin", exact: "1.5.0")]

func package(_ path: String, from version: Version, traits: Set<Package.Dependency.Trait> = [.defaults])
  -> Package.Dependency
{
  .package(url: "https://github.com/\(path)", from: version, traits: traits)
}

func product(_ name: String, _ package: String, _ condition: TargetDependencyCondition? = nil) -> Target.Dependency {
  .product(name: name, package: package, condition: condition)
}

// MARK: - Targets

/// The benchmarks that measure `package` declarations. They are targets only with `FLOWRUN_BENCHMARKS`, which `make
/// bench` sets. The launch of an app is measured by a separate package, `Benchmarks/Launch`, except for the one that
/// reads YAML.
let benchmarks: [[Target]] =
  Context.environment["FLOWRUN_BENCHMARKS"] == nil
  ? []
  : [
    benchmark("EngineBenchmark", in: "Engine", uses: ["FlowKitYAML", "FlowModel", "FlowStore", "FlowTestKit"]),
    benchmark("StartPeer", in: "Engine", uses: flowrun),
    benchmark(
      "PluginCallBenchmark", in: "Engine",
      uses: ["FlowCLI", "FlowModel", "FlowPluginHost", "FlowPluginKit", "FlowTestKit"]),
    [.target(name: "Stopwatch", path: "Benchmarks/Launch/Sources/Stopwatch")],
    benchmark("YAMLLaunch", in: "Launch", uses: ["FlowKitYAML", "Stopwatch"]),
    benchmark("GeocodeBenchmark", in: "Geocode", uses: ["GeocodeCore"]),
    [.target(name: "CAllocationCount", path: "Benchmarks/Router/Sources/CAllocationCount")],
    benchmark(
      "RouterBenchmark", in: "Router", uses: ["CAllocationCount", "RouterCore", product("Hummingbird", "hummingbird")]),
    benchmark(
      "SyncBenchmarks", in: "Sync",
      uses: [
        "CPostgreSQL", "CSQLite", "SyncCore", "SyncEngine", "SyncHTTP", "SyncPomodoro", "SyncPostgres", "SyncRecords",
        "SyncSQLite", "SyncServer", "SyncSimulation", "SyncWire", "SyncYAML",
      ]),
  ]

func benchmark(_ name: String, in folder: String, uses: [Target.Dependency]) -> [Target] {
  [.executableTarget(name: name, dependencies: uses.map(named), path: "Benchmarks/\(folder)/Sources/\(name)")]
}

/// Folders of `Sources`, lowest first; ARCHITECTURE.md describes each. A module with `tests`, the additional targets
/// that its tests use, has a test target.
let core: [[Target]] = [
  module("FlowBytes", tests: []),
  module("FlowDiagnostics", tests: []),
  module("CFlowPlatform"),
  module("CFlowProcess"),
  module("CFlowStore"),
  module("CPostgreSQL"),
  module("CFlowClock"),
  module("CFlowPluginSupport", exclude: ["Files"]),
  module("FlowPlatform", uses: ["CFlowPlatform"], tests: []),
  module("FlowSystem", uses: ["FlowPlatform", "CFlowProcess"], tests: ["TestSupport", "CPlantedFault"]),
  module("FlowSQLite", uses: ["FlowPlatform", "CSQLite"], tests: []),
  module("FlowModel", uses: ["FlowDiagnostics"], tests: ["FlowTestKit"]),
  module("FlowSecrets", uses: ["FlowDiagnostics", "FlowModel"], tests: ["TestSupport"]),
  module("FlowExpressions", uses: ["FlowDiagnostics", "FlowModel"], tests: ["FlowTestKit"]),
  module(
    "FlowCompiled",
    uses: ["FlowBytes", "FlowDiagnostics", "FlowModel"],
    tests: ["FlowSyntax", "FlowPluginKit", "BasicsPlugin"]),
  module(
    "FlowSyntax",
    uses: [
      "FlowBytes", "FlowPlatform", "FlowDiagnostics", "FlowModel", "FlowExpressions", "FlowCompiled", "CLibYAML",
    ],
    tests: ["TestSupport"]),
  module("FlowPluginKit", uses: ["FlowDiagnostics", "FlowModel"], tests: ["FlowTestKit"]),
  module(
    "FlowCommandKit",
    uses: [
      "FlowPlatform", "FlowSystem", "FlowDiagnostics", "FlowModel", "FlowSecrets",
      product("ArgumentParser", "swift-argument-parser"),
    ]),
  module(
    "FlowStore",
    uses: ["CFlowStore", "FlowBytes", "FlowPlatform", "FlowDiagnostics"],
    tests: ["FlowStoreSQLite", "FlowModel", "FlowTestKit", "TestSupport"]),
  module("FlowStoreSQLite", uses: ["FlowPlatform", "FlowSQLite", "CFlowStore", "FlowStore"]),
  module("FlowPostgres", uses: ["FlowPlatform", .target(name: "CPostgreSQL", condition: network)]),
  module(
    "FlowStorePostgres",
    uses: ["FlowPlatform", "FlowStore", "FlowPostgres"],
    tests: ["FlowTestKit", "TestSupport", "flowrun"]),
  module(
    "FlowServing",
    uses: [
      "FlowPlatform", product("NIOCore", "swift-nio", network), product("NIOHTTP1", "swift-nio", network),
      product("NIOHTTPTypes", "swift-nio-extras", network), product("NIOHTTPTypesHTTP1", "swift-nio-extras", network),
    ]),
  module(
    "FlowEngine",
    uses: [
      "CFlowClock", "FlowBytes", "FlowPlatform", "FlowDiagnostics", "FlowModel", "FlowSecrets", "FlowExpressions",
      "FlowPluginKit", "FlowStore",
    ],
    tests: ["FlowStoreSQLite", "BasicsPlugin", "FlowTestKit", "TestSupport"]),
  module(
    "FlowInsight",
    uses: ["FlowBytes", "FlowDiagnostics", "FlowModel", "FlowExpressions", "FlowEngine"],
    tests: ["FlowPluginKit", "BasicsPlugin", "FlowTestKit", "TestSupport"]),
  module(
    "FlowPluginHost",
    uses: [
      "FlowBytes", "FlowSystem", "FlowDiagnostics", "FlowModel", "FlowSyntax", "FlowPluginKit", "CFlowPluginSupport",
    ],
    tests: ["FlowTestKit", "TestSupport"]),
  module(
    "FlowExecutors",
    uses: ["CZlib", "FlowSystem", "FlowDiagnostics", "FlowModel", "FlowSyntax", "FlowPluginKit", "FlowPluginHost"],
    tests: ["FlowTestKit", "BasicsPlugin", "ShellPlugin", "TestSupport", "flowrun"]),
  module(
    "FlowLanguageServer",
    uses: ["FlowPlatform", "FlowDiagnostics", "FlowModel", "FlowSyntax"],
    tests: ["FlowSystem", "FlowTestKit"]),
  module(
    "FlowKit",
    uses: ["FlowDiagnostics", "FlowModel", "FlowSecrets", "FlowCompiled", "FlowPluginKit", "FlowEngine"],
    tests: ["FlowSyntax", "BasicsPlugin"]),
  module("FlowKitYAML", uses: ["FlowKit", "FlowSyntax"]),
  module(
    "FlowHistory", uses: ["FlowPlatform", "FlowModel", "FlowStore", "FlowStoreSQLite", "FlowKit"],
    tests: ["FlowSyntax", "BasicsPlugin"]),
  module(
    "FlowObservability",
    uses: [
      "FlowModel", "FlowPluginKit", "FlowEngine", product("CoreMetrics", "swift-metrics", observability),
      product("Logging", "swift-log", observability), product("Tracing", "swift-distributed-tracing", observability),
    ],
    tests: [
      "BasicsPlugin", product("InMemoryLogging", "swift-log", observability),
      product("InMemoryTracing", "swift-distributed-tracing", observability),
      product("MetricsTestKit", "swift-metrics", observability),
    ]),
  module(
    "FlowBuild", uses: ["FlowDiagnostics", "FlowModel", "FlowCompiled", "FlowSyntax"],
    tests: ["FlowKit", "SyncRecords", "SyncYAML", "TestSupport", "flowrun-build"]),
  program("flowrun-build", uses: ["FlowBuild", "SyncRecords", "SyncYAML"]),
  module(
    "FlowTestKit",
    uses: [
      "FlowBytes", "FlowModel", "FlowExpressions", "FlowSecrets", "FlowPluginKit", "FlowStore", "FlowEngine",
      "FlowInsight",
    ],
    tests: []),
  module(
    "FlowCLI",
    uses: [
      "FlowPlatform", "FlowSystem", "FlowDiagnostics", "FlowModel", "FlowSecrets", "FlowExpressions", "FlowCompiled",
      "FlowSyntax", "FlowPluginKit", "FlowCommandKit", "FlowStore", "FlowEngine", "FlowPluginHost",
      product("ArgumentParser", "swift-argument-parser"), product("AsyncHTTPClient", "async-http-client", network),
      product("NIOCore", "swift-nio", network),
    ] + builtIn,
    tests: [
      "FlowInsightCommands", "FlowRunStores", "FlowStoreSQLite", "FlowTestKit", "FlowUI", "TestSupport", "flowrun",
    ]),
  module(
    "FlowInsightCommands",
    uses: [
      "FlowSystem", "FlowDiagnostics", "FlowModel", "FlowPluginKit", "FlowCommandKit", "FlowStore", "FlowEngine",
      "FlowInsight", "FlowCLI", product("ArgumentParser", "swift-argument-parser"),
    ]),
  module(
    "FlowEditorCommands",
    uses: [
      "FlowSystem", "FlowModel", "FlowSyntax", "FlowPluginKit", "FlowCommandKit", "FlowEngine", "FlowPluginHost",
      "FlowLanguageServer", "FlowCLI", product("ArgumentParser", "swift-argument-parser"),
    ]),
  module(
    "FlowExecutorCommands",
    uses: [
      "FlowSystem", "FlowModel", "FlowSyntax", "FlowPluginKit", "FlowCommandKit", "FlowEngine", "FlowExecutors",
      "FlowCLI", product("ArgumentParser", "swift-argument-parser"),
    ]),
  module(
    "FlowRunStores",
    uses: [
      "FlowPlatform", "FlowCommandKit", "FlowStore", "FlowStoreSQLite",
      .target(name: "FlowStorePostgres", condition: network), "FlowCLI",
    ]),
  program("flowrun", uses: flowrun),
  module(
    "FlowUI",
    uses: [
      "FlowSystem", "FlowDiagnostics", "FlowModel", "FlowSyntax", "FlowPluginKit", "FlowCommandKit", "FlowStore",
      "FlowEngine", "FlowInsight", "FlowServing", "FlowCLI", "FlowInsightCommands", "FlowRunStores",
      product("Hummingbird", "hummingbird", network), product("HummingbirdCore", "hummingbird", network),
      product("Logging", "swift-log", network), product("NIOCore", "swift-nio", network),
      product("ServiceLifecycle", "swift-service-lifecycle", network),
    ],
    tests: ["TestSupport", "flowrun", "flowrun-ui"]),
  program(
    "flowrun-ui",
    uses: ["FlowUI", "FlowCLI", "FlowServing", product("ArgumentParser", "swift-argument-parser", network)]),
]

/// Folders of `plugins`. Every plugin uses the plugin interface, but no other plugin and not the engine.
let plugins: [[Target]] = [
  // flow
  plugin("BasicsPlugin", in: "flow"),
  // preferences
  plugin("PreferencesPlugin", in: "preferences"),
  // location
  plugin("LocationPlugin", in: "location"),
  // notification
  plugin("NotificationPlugin", in: "notification"),
  module(
    "NotificationCommands", in: "notification",
    uses: [
      "FlowSystem", "FlowModel", "FlowDiagnostics", "FlowCommandKit", "NotificationPlugin",
      product("ArgumentParser", "swift-argument-parser"),
    ]),
  // ui
  plugin("UserInterfacePlugin", in: "ui", uses: ["FlowDiagnostics"]),
  // shell
  plugin("ShellPlugin", in: "shell", uses: ["FlowDiagnostics", "FlowSystem"]),
  // storage
  module("StorageCore", in: "storage", uses: ["FlowPlatform", "FlowModel", "FlowPluginKit", "FlowSQLite"]),
  plugin("StoragePlugin", in: "storage", uses: ["FlowSQLite", "StorageCore"]),
  // footprint
  plugin("FootprintPlugin", in: "footprint", uses: ["FlowSQLite", "StorageCore"], tests: ["StoragePlugin"]),
  // geocode
  module("GeocodeCore", in: "geocode", uses: ["FlowBytes", "FlowPlatform"], tests: ["TestSupport"]),
  plugin("GeocodePlugin", in: "geocode", uses: ["GeocodeCore"]),
  // router
  module("RouterCore", in: "router", uses: ["FlowDiagnostics", "FlowModel"], tests: ["FlowTestKit", "TestSupport"]),
  plugin("RouterPlugin", in: "router", uses: ["FlowDiagnostics", "RouterCore"]),
  module(
    "RouterCommands", in: "router",
    uses: [
      "FlowDiagnostics", "FlowModel", "FlowCommandKit", "RouterPlugin",
      product("ArgumentParser", "swift-argument-parser"),
    ]),
  // sync
  module("SyncCore", in: "sync", uses: ["FlowBytes"], tests: ["SyncPomodoro", "TestSupport"]),
  module("SyncPomodoro", in: "sync", uses: ["FlowModel", "SyncCore", "SyncEngine", "SyncRecords"]),
  module(
    "SyncRecords", in: "sync", uses: ["FlowDiagnostics", "FlowModel", "FlowCompiled", "SyncCore", "SyncEngine"],
    tests: ["FlowBytes", "SyncPomodoro", "SyncYAML"]),
  module(
    "SyncYAML", in: "sync",
    uses: ["FlowDiagnostics", "FlowModel", "FlowSyntax", "SyncCore", "SyncEngine", "SyncRecords"]),
  module(
    "SyncEngine", in: "sync",
    uses: ["FlowBytes", "SyncCore"],
    tests: ["SyncRecords", "SyncYAML", "SyncPomodoro", "SyncSimulation", "TestSupport"]),
  module("SyncTestKit", in: "sync", uses: ["SyncCore", "SyncPomodoro", "SyncEngine"]),
  module(
    "SyncCloud", in: "sync", uses: ["FlowBytes", "SyncCore", "SyncEngine"],
    tests: ["SyncPomodoro", "SyncRecords", "SyncSimulation", "SyncTestKit"]),
  module(
    "SyncSimulation", in: "sync",
    uses: ["FlowBytes", "SyncCore", "SyncRecords", "SyncPomodoro", "SyncEngine", "SyncCloud"]),
  module(
    "SyncSQLite", in: "sync",
    uses: ["FlowPlatform", "FlowSQLite", "SyncCore", "SyncEngine"],
    tests: ["SyncPomodoro", "SyncTestKit"]),
  module("SyncWire", in: "sync", uses: ["FlowModel", "SyncCore", "SyncEngine"], tests: []),
  module(
    "SyncHTTP", in: "sync",
    uses: [
      "FlowPlatform", "SyncCore", "SyncEngine", "SyncWire", product("AsyncHTTPClient", "async-http-client", network),
      product("NIOCore", "swift-nio", network), product("NIOHTTP1", "swift-nio", network),
      product("NIOPosix", "swift-nio", network), product("NIOSSL", "swift-nio-ssl", network),
    ]),
  module(
    "SyncKit", in: "sync",
    uses: ["SyncCore", "SyncRecords", "SyncPomodoro", "SyncEngine", "SyncSQLite", "SyncCloud", "SyncHTTP"]),
  module(
    "SyncMetrics", in: "sync",
    uses: ["SyncCore", "SyncEngine", product("Metrics", "swift-metrics", network)],
    tests: ["SyncPomodoro", product("MetricsTestKit", "swift-metrics", network)]),
  module(
    "SyncDevice", in: "sync",
    uses: [
      "FlowPlatform", "FlowDiagnostics", "FlowModel", "FlowPluginKit", "SyncCore", "SyncPomodoro", "SyncRecords",
      "SyncEngine", "SyncSQLite", .target(name: "SyncHTTP", condition: network),
      .target(name: "SyncMetrics", condition: network),
    ]),
  plugin(
    "SyncPlugin", in: "sync",
    uses: [
      "FlowBytes", "FlowDiagnostics", "SyncCore", "SyncPomodoro", "SyncRecords", "SyncEngine", "SyncSQLite",
      "SyncDevice", "SyncSimulation",
    ],
    tests: ["FlowSQLite", "PomodoroPlugin", "SyncYAML"]),
  module(
    "SyncCommands", in: "sync",
    uses: [
      "FlowDiagnostics", "FlowModel", "FlowCommandKit", "SyncPlugin", "SyncRecords", "SyncSimulation", "SyncYAML",
      product("ArgumentParser", "swift-argument-parser"),
    ]),
  // pomodoro
  plugin(
    "PomodoroPlugin", in: "pomodoro", uses: ["SyncCore", "SyncPomodoro", "SyncRecords", "SyncEngine", "SyncDevice"],
    tests: ["SyncPlugin", "SyncSQLite"]),
  // sync: the server
  module("SyncPostgres", in: "sync", uses: ["FlowPlatform", "FlowPostgres", "SyncCore", "SyncEngine"]),
  module(
    "SyncServer", in: "sync",
    uses: [
      "FlowPlatform", "FlowServing", "SyncCore", "SyncEngine", "SyncWire",
      product("Hummingbird", "hummingbird", network),
      product("HummingbirdCore", "hummingbird", network), product("HummingbirdTLS", "hummingbird", network),
      product("Logging", "swift-log", network), product("NIOCore", "swift-nio", network),
      product("NIOHTTPTypes", "swift-nio-extras", network), product("NIOSSL", "swift-nio-ssl", network),
      product("ServiceLifecycle", "swift-service-lifecycle", network),
    ],
    tests: [
      "FlowBytes", "FlowModel", "SyncPomodoro", "SyncSQLite", "SyncTestKit", "SyncSimulation", "SyncHTTP",
      "SyncPostgres",
      "flowrun-sync-server", "flowrun", "TestSupport",
    ]),
  program(
    "flowrun-sync-server", in: "sync",
    uses: [
      "FlowServing", "SyncPomodoro", "SyncEngine", "SyncSQLite", "SyncPostgres", "SyncServer",
      product("ArgumentParser", "swift-argument-parser", network),
    ]),
]

/// The module that connects apps to Apple's frameworks through the plugins.
let apple: [[Target]] = [
  module(
    "FlowApple",
    uses: [
      "FlowModel", "FlowPluginKit", "FlowKit", "LocationPlugin", "NotificationPlugin", "PreferencesPlugin",
    ],
    tests: [
      "FlowHistory", "FlowSyntax", "BasicsPlugin", "RouterCore", "RouterPlugin", "StoragePlugin", "UserInterfacePlugin",
    ])
]

/// Folders of `Tests` that test more than one module.
let tests: [[Target]] = [
  test("SimulationTests", uses: ["FlowModel", "FlowStore", "FlowEngine", "FlowInsight", "FlowTestKit", "TestSupport"]),
  test(
    "AppInterfaceTests",
    uses: [
      "FlowHistory", "FlowKit", "FlowPluginKit", "FlowTestKit", "GeocodeCore", "GeocodePlugin", "LocationPlugin",
      "NotificationPlugin", "PreferencesPlugin", "RouterPlugin", "SyncCloud", "SyncCore", "SyncEngine",
      "SyncKit", "UserInterfacePlugin",
    ]),
  test("NotificationWorkflowTests", uses: ["FlowModel", "TestSupport", "flowrun"]),
  test("TidyTests", uses: ["FlowKit", "FlowKitYAML", "BasicsPlugin", "TestSupport", "flowrun"]),
  test("WorkflowTests", uses: ["FlowSQLite", "FlowModel", "TestSupport", "flowrun"]),
]

#if os(macOS)
  /// Apple's SDKs include SQLite. With pkgConfig, SwiftPM would use Homebrew's headers and library even for iOS builds.
  let sqlite = Target.systemLibrary(name: "CSQLite")
#else
  let sqlite = Target.systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])])
#endif

let system: [Target] = [
  sqlite,
  .systemLibrary(name: "CLibYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
  .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
]

let buildPlugin: [Target] = [
  .plugin(
    name: "FlowrunBuildPlugin", capability: .buildTool(), dependencies: ["flowrun-build"],
    path: "Sources/FlowrunBuildPlugin")
]

let testSupport: [Target] = [
  .target(name: "TestSupport", dependencies: ["FlowSQLite"], path: "Tests/TestSupport"),
  .target(name: "CPlantedFault", path: "Tests/CPlantedFault"),
]

/// Returns a module and, with `tests`, its test target, which also uses the targets that the module uses.
func module(
  _ name: String, in folder: String? = nil, uses: [Target.Dependency] = [], tests: [Target.Dependency]? = nil,
  exclude: [String] = []
) -> [Target] {
  let root = root(folder)
  var (files, leftOut) = (resources[name].map { [$0] } ?? [], exclude)
  if privacyManifests.contains(name) {
    #if os(macOS)
      files.append(.copy(privacyManifest))
    #else
      leftOut.append(privacyManifest)
    #endif
  }
  let module = Target.target(
    name: name, dependencies: uses.map(named), path: "\(root)Sources/\(name)", exclude: leftOut,
    resources: files.isEmpty ? nil : files,
    swiftSettings: isQuickBuild && optimized.contains(name) ? [.unsafeFlags(["-Xfrontend", "-O"])] : nil)
  return [module] + (tests.map { test("\(name)Tests", in: folder, uses: [.target(name: name)] + uses + $0) } ?? [])
}

/// Returns a module with the actions of a plugin, and its tests.
func plugin(
  _ name: String, in folder: String, uses: [Target.Dependency] = [], tests: [Target.Dependency] = []
) -> [Target] {
  module(
    name, in: folder, uses: ["FlowPlatform", "FlowModel", "FlowPluginKit"] + uses,
    tests: ["FlowTestKit", "TestSupport"] + tests,
    exclude: ["\(folder).plugin.yaml"])
}

func program(_ name: String, in folder: String? = nil, uses: [Target.Dependency]) -> [Target] {
  [.executableTarget(name: name, dependencies: uses.map(named), path: "\(root(folder))Sources/\(name)")]
}

func test(_ name: String, in folder: String? = nil, uses: [Target.Dependency]) -> [Target] {
  let exclude = excluded[name].map { [$0] } ?? []
  return [
    .testTarget(name: name, dependencies: uses.map(named), path: "\(root(folder))Tests/\(name)", exclude: exclude)
  ]
}

func root(_ folder: String?) -> String { folder.map { "plugins/\($0)/" } ?? "" }

/// Returns a dependency on a target, because a name in quotes always means a target here, never a product.
func named(_ use: Target.Dependency) -> Target.Dependency {
  if case .byNameItem(let name, let condition) = use { .target(name: name, condition: condition) } else { use }
}

// MARK: - Package

/// The libraries that an app imports; docs/embedding.md describes their purpose.
let libraries: [Product] = [
  .library(
    name: "SyncKit",
    targets: [
      "SyncKit", "SyncCore", "SyncRecords", "SyncPomodoro", "SyncEngine", "SyncSQLite", "SyncCloud", "SyncHTTP",
    ]),
  .library(name: "SyncServerKit", targets: ["SyncPostgres", "SyncServer"]),
  .library(name: "FlowKit", targets: ["FlowKit"]),
  .library(name: "FlowApple", targets: ["FlowApple"]),
  .library(name: "FlowKitYAML", targets: ["FlowKitYAML"]),
  .library(name: "FlowHistory", targets: ["FlowHistory"]),
  .library(name: "FlowObservability", targets: ["FlowObservability"]),
  .library(name: "FlowTestKit", targets: ["FlowTestKit"]),
  .library(name: "FlowPluginKit", targets: ["FlowPluginKit"]),
  .library(name: "FlowPluginHost", targets: ["FlowPluginHost"]),
  .library(name: "FlowCLI", targets: ["FlowCLI"]),
  .library(name: "RouterCore", targets: ["RouterCore"]),
  .library(name: "GeocodeCore", targets: ["GeocodeCore"]),
  .library(name: "SyncMetrics", targets: ["SyncMetrics"]),
  .library(name: "SyncSimulation", targets: ["SyncSimulation"]),
  .library(name: "SyncTestKit", targets: ["SyncTestKit"]),
  .library(name: "SyncYAML", targets: ["SyncYAML"]),
  .library(name: "BasicsPlugin", targets: ["BasicsPlugin"]),
  .library(name: "FootprintPlugin", targets: ["FootprintPlugin"]),
  .library(name: "GeocodePlugin", targets: ["GeocodePlugin"]),
  .library(name: "LocationPlugin", targets: ["LocationPlugin"]),
  .library(name: "NotificationPlugin", targets: ["NotificationPlugin"]),
  .library(name: "PomodoroPlugin", targets: ["PomodoroPlugin"]),
  .library(name: "PreferencesPlugin", targets: ["PreferencesPlugin"]),
  .library(name: "RouterPlugin", targets: ["RouterPlugin"]),
  .library(name: "ShellPlugin", targets: ["ShellPlugin"]),
  .library(name: "StoragePlugin", targets: ["StoragePlugin"]),
  .library(name: "SyncPlugin", targets: ["SyncPlugin"]),
  .library(name: "UserInterfacePlugin", targets: ["UserInterfacePlugin"]),
]

let package = Package(
  name: "flowrun",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .plugin(name: "FlowrunBuildPlugin", targets: ["FlowrunBuildPlugin"]),
    .executable(name: "flowrun", targets: ["flowrun"]),
    .executable(name: "flowrun-sync-server", targets: ["flowrun-sync-server"]),
    .executable(name: "flowrun-ui", targets: ["flowrun-ui"]),
  ] + libraries,
  traits: [
    .trait(name: "Network", description: "Sync with servers, runs in PostgreSQL", enabledTraits: ["Observability"]),
    .trait(name: "Observability", description: "Events of runs as log messages, metrics and spans: FlowObservability"),
  ],
  dependencies: documentation + packages,
  targets: system + buildPlugin + testSupport + (core + plugins + apple + tests + benchmarks).flatMap { $0 },
  cLanguageStandard: .gnu2x)
