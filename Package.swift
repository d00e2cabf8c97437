// swift-tools-version: 6.2
import PackageDescription

/// All targets, lowest first, as `NAMES: what they use | what their tests use besides`; ARCHITECTURE.md says what each knows. A line
/// without `|` has no tests, a `\` continues it, and `NAME?` is used only with the trait `Network`, `NAME!` with `Observability`. `FOLDER/NAME` is under
/// `plugins/FOLDER`. Names of tests end with `Tests`, those of programs begin with a small letter. A plugin also
/// uses the interface of plugins, but neither another plugin nor the engine.
let table = """
  FlowBytes FlowDiagnostics: |
  CFlowPlatform CFlowProcess CFlowStore CPostgreSQL CFlowClock FlowPluginSupport:
  FlowPlatform: CFlowPlatform |
  FlowSystem: FlowPlatform CFlowProcess | TestSupport
  FlowSQLite: FlowPlatform CSQLite |
  FlowModel: FlowDiagnostics | FlowTestKit
  FlowExpressions: FlowDiagnostics FlowModel | FlowTestKit
  FlowCompiled: FlowBytes FlowDiagnostics FlowModel | FlowSyntax FlowPluginKit BasicsPlugin
  FlowSyntax: FlowBytes FlowDiagnostics FlowModel FlowExpressions FlowCompiled CLibYAML | TestSupport
  FlowPluginKit: FlowDiagnostics FlowModel
  FlowCommandKit: FlowSystem FlowDiagnostics FlowModel ArgumentParser
  FlowStore: CFlowStore FlowBytes FlowDiagnostics | FlowStoreSQLite FlowPlatform FlowModel FlowTestKit
  FlowStoreSQLite: FlowPlatform FlowSQLite CFlowStore FlowStore
  FlowPostgres: FlowPlatform CPostgreSQL?
  FlowStorePostgres: FlowPlatform FlowStore FlowPostgres | FlowTestKit TestSupport flowrun
  FlowServing: FlowPlatform NIOCore? NIOHTTPTypes?
  FlowEngine: CFlowClock FlowBytes FlowPlatform FlowDiagnostics FlowModel FlowExpressions FlowPluginKit FlowStore | \
    FlowStoreSQLite BasicsPlugin FlowTestKit
  FlowInsight: FlowBytes FlowModel FlowExpressions FlowEngine | FlowPluginKit BasicsPlugin FlowTestKit TestSupport
  FlowPluginHost: FlowBytes FlowSystem FlowDiagnostics FlowModel FlowSyntax FlowPluginKit FlowPluginSupport | \
    FlowTestKit
  FlowExecutors: CZlib FlowSystem FlowDiagnostics FlowModel FlowSyntax FlowPluginKit FlowPluginHost | FlowTestKit \
    BasicsPlugin ShellPlugin TestSupport flowrun
  FlowLanguageServer: FlowPlatform FlowDiagnostics FlowModel FlowSyntax | FlowSystem FlowTestKit
  FlowKit: FlowDiagnostics FlowModel FlowCompiled FlowPluginKit FlowEngine | FlowSyntax BasicsPlugin
  FlowKitYAML: FlowKit FlowSyntax
  FlowObservability: FlowModel FlowPluginKit FlowEngine CoreMetrics! Logging! Tracing! | BasicsPlugin InMemoryLogging! \
    InMemoryTracing! MetricsTestKit!
  FlowBuild: FlowDiagnostics FlowModel FlowCompiled FlowSyntax | FlowKit TestSupport
  flowrun-build: FlowBuild
  FlowTestKit: FlowBytes FlowModel FlowExpressions FlowPluginKit FlowStore FlowEngine FlowInsight |
  SimulationTests: FlowModel FlowStore FlowEngine FlowInsight FlowTestKit TestSupport
  flow/BasicsPlugin preferences/PreferencesPlugin location/LocationPlugin notification/NotificationPlugin: |
  ui/UserInterfacePlugin: FlowDiagnostics |
  shell/ShellPlugin: FlowSystem |
  storage/StoragePlugin: FlowSQLite |
  geocode/GeocodeCore: FlowBytes FlowPlatform | TestSupport
  geocode/GeocodePlugin: GeocodeCore |
  router/RouterCore: FlowDiagnostics FlowModel | FlowTestKit TestSupport
  router/RouterPlugin: FlowDiagnostics RouterCore |
  router/RouterCommands: FlowDiagnostics FlowModel FlowCommandKit RouterPlugin ArgumentParser
  notification/NotificationCommands: FlowSystem FlowModel FlowCommandKit NotificationPlugin ArgumentParser
  sync/SyncCore: FlowBytes | SyncPomodoro
  sync/SyncPomodoro: FlowModel SyncCore SyncEngine SyncRecords
  sync/SyncRecords: FlowDiagnostics FlowModel FlowSyntax SyncCore SyncEngine |
  sync/SyncEngine: FlowBytes SyncCore | SyncRecords SyncPomodoro SyncSimulation TestSupport
  sync/SyncTestKit: SyncCore SyncPomodoro SyncEngine
  sync/SyncSimulation: FlowBytes SyncCore SyncRecords SyncPomodoro SyncEngine
  sync/SyncSQLite: FlowPlatform FlowSQLite SyncCore SyncEngine | SyncPomodoro SyncTestKit
  sync/SyncWire: FlowModel SyncCore SyncEngine |
  sync/SyncHTTP: FlowPlatform SyncCore SyncEngine SyncWire AsyncHTTPClient? NIOCore? NIOHTTP1? NIOPosix? NIOSSL?
  sync/SyncKit: SyncCore SyncRecords SyncPomodoro SyncEngine SyncSQLite SyncHTTP
  sync/SyncMetrics: SyncCore SyncEngine Metrics? | SyncPomodoro MetricsTestKit?
  sync/SyncPlugin: FlowBytes FlowDiagnostics SyncCore SyncPomodoro SyncRecords SyncEngine SyncSQLite SyncSimulation \
    SyncHTTP? SyncMetrics? | FlowSQLite
  sync/SyncCommands: FlowDiagnostics FlowModel FlowCommandKit SyncPlugin SyncRecords ArgumentParser
  FlowCLI: FlowSystem FlowDiagnostics FlowModel FlowExpressions FlowCompiled FlowSyntax FlowPluginKit FlowCommandKit \
    FlowStore FlowStoreSQLite FlowStorePostgres? FlowEngine FlowInsight FlowPluginHost FlowExecutors FlowLanguageServer \
    PLUGINS ArgumentParser AsyncHTTPClient? NIOCore? | FlowTestKit TestSupport flowrun
  flowrun: FlowCLI
  sync/SyncPostgres: FlowPlatform FlowPostgres SyncCore SyncEngine
  sync/SyncServer: FlowPlatform FlowServing SyncCore SyncEngine SyncWire Hummingbird? HummingbirdCore? HummingbirdTLS? \
    Logging? NIOCore? NIOHTTPTypes? NIOSSL? ServiceLifecycle? | FlowBytes FlowModel SyncPomodoro SyncSQLite \
    SyncTestKit SyncSimulation SyncHTTP SyncPostgres flowrun-sync-server flowrun TestSupport
  sync/flowrun-sync-server: FlowServing SyncPomodoro SyncEngine SyncSQLite SyncPostgres SyncServer ArgumentParser?
  FlowUI: FlowSystem FlowDiagnostics FlowModel FlowCommandKit FlowStore FlowEngine FlowInsight FlowServing FlowCLI \
    Hummingbird? HummingbirdCore? Logging? NIOCore? ServiceLifecycle? | TestSupport flowrun flowrun-ui
  flowrun-ui: FlowUI FlowCLI FlowServing ArgumentParser?
  NotificationWorkflowTests: FlowModel TestSupport flowrun
  TidyTests: FlowKitYAML BasicsPlugin TestSupport flowrun
  WorkflowTests: FlowSQLite FlowModel TestSupport flowrun
  """

/// The targets of the table.
let names = table.split(separator: "\n").flatMap { words($0.prefix { $0 != ":" }) }
  .map { String($0.split(separator: "/").last!) }

/// What is compiled into `flowrun`, PLUGINS in the table: the plugins with their subcommands.
let builtIn = names.filter { $0.hasSuffix("Plugin") || $0.hasSuffix("Commands") }

/// What runs, forecasts, matches and geocodes. With `FLOWRUN_QUICK_BUILD`, which `make run` sets, only these and the packages are
/// optimized: the optimizer takes three quarters of the processor time of a build.
let optimized = Context.environment["FLOWRUN_QUICK_BUILD"].map { _ in
  words("FlowBytes FlowPlatform FlowModel FlowExpressions FlowPluginKit FlowEngine FlowInsight RouterCore GeocodeCore")
}

/// Files of a target that are not compiled, and files that it reads when it runs.
let excluded = ["FlowInsightTests": "Recordings", "FlowPluginHostTests": "Children", "TidyTests": "FlowKitSymbols.txt"]
let resources: [String: Resource] = [
  "FlowPluginSupport": .embedInCode("Files"), "FlowUI": .embedInCode("Page"), "GeocodePlugin": .copy("Tables"),
]

/// The packages, the products that are used, and the lowest version that has what is called. Together they need newer versions of
/// each other. Only the versions that SwiftPM resolves here are built and tested.
let packages: [(path: String, from: Version, products: String)] = [
  ("apple/swift-argument-parser", "1.7.0", "ArgumentParser"),  // the functions that `CompletionScript` extends
  ("apple/swift-distributed-tracing", "1.3.0", "Tracing InMemoryTracing"),  // the tracer in memory of the tests
  ("apple/swift-log", "1.4.3", "Logging InMemoryLogging"),  // `Logger` is `Sendable`
  ("apple/swift-metrics", "2.7.0", "Metrics CoreMetrics MetricsTestKit"),  // gauges and counters take a factory
  ("apple/swift-nio", "2.58.0", "NIOCore NIOHTTP1 NIOPosix"),  // the event loop group that a process shares
  ("apple/swift-nio-extras", "1.20.0", "NIOHTTPTypes"),  // the messages that `ConnectionGuard` reads
  ("apple/swift-nio-ssl", "2.28.0", "NIOSSL"),  // a certificate that is chosen for each connection
  ("hummingbird-project/hummingbird", "2.19.0", "Hummingbird HummingbirdCore HummingbirdTLS"),  // its traits
  ("swift-server/async-http-client", "1.20.0", "AsyncHTTPClient"),  // an error of its own for slow writing
  ("swift-server/swift-service-lifecycle", "2.5.0", "ServiceLifecycle"),  // `cancelWhenGracefulShutdown`
]

/// What `make docs` needs, and nothing else.
let documentation: [Package.Dependency] =
  Context.environment["FLOWRUN_DOCS"] == nil
  ? [] : [.package(url: "https://github.com/swiftlang/swift-docc-plugin", exact: "1.5.0")]

/// What a user imports besides `SyncKit` and `SyncServerKit`: docs/embedding.md says what for.
let libraries =
  words("FlowKit FlowKitYAML FlowObservability FlowTestKit FlowPluginKit FlowPluginHost FlowCLI RouterCore GeocodeCore")
  + words("SyncMetrics SyncSimulation SyncTestKit") + names.filter { $0.hasSuffix("Plugin") }.sorted()

let package = Package(
  name: "flowrun",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [.plugin(name: "FlowrunBuildPlugin", targets: ["FlowrunBuildPlugin"])]
    + words("flowrun flowrun-sync-server flowrun-ui").filter(names.contains).map {
      .executable(name: $0, targets: [$0])
    }
    + [
      ("SyncKit", words("SyncKit SyncCore SyncRecords SyncPomodoro SyncEngine SyncSQLite SyncHTTP")),
      ("SyncServerKit", words("SyncPostgres SyncServer")),
    ].filter { $0.1.allSatisfy(names.contains) }.map { .library(name: $0.0, targets: $0.1) }
    + libraries.filter(names.contains).map { .library(name: $0, targets: [$0]) },
  traits: [
    .trait(name: "Network", description: "Sync with servers, runs in PostgreSQL", enabledTraits: ["Observability"]),
    .trait(name: "Observability", description: "Events of runs as log messages, metrics and spans: FlowObservability"),
  ],
  dependencies: documentation
    + packages.map {
      // Hummingbird needs no trait of its own, such as that for configuration files.
      let traits: Set<Package.Dependency.Trait> = $0.path.hasPrefix("hummingbird") ? [] : [.defaults]
      return .package(url: "https://github.com/\($0.path)", from: $0.from, traits: traits)
    },
  targets: [
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(name: "CLibYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .plugin(
      name: "FlowrunBuildPlugin", capability: .buildTool(), dependencies: ["flowrun-build"],
      path: "Sources/FlowrunBuildPlugin"),
    .target(name: "TestSupport", path: "Tests/TestSupport"),
  ] + table.split(separator: "\n").flatMap(targets))

/// The targets of a line of the table.
func targets(_ line: Substring) -> [Target] {
  let lists = line.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == "|" }
    .map { words($0).flatMap { $0 == "PLUGINS" ? builtIn : [$0] } }
  return lists[0].flatMap { path -> [Target] in
    let parts = path.split(separator: "/").map(String.init)
    let name = parts.last!
    let root = parts.count > 1 ? "plugins/\(parts[0])/" : ""
    let isPlugin = name.hasSuffix("Plugin")
    let uses = words(isPlugin ? "FlowPlatform FlowModel FlowPluginKit" : "") + lists[1]
    func test(_ name: String, _ uses: [String]) -> Target {
      .testTarget(
        name: name, dependencies: uses.map(dependency), path: "\(root)Tests/\(name)",
        exclude: excluded[name].map { [$0] } ?? [])
    }
    if name.hasSuffix("Tests") { return [test(name, uses)] }
    let path = "\(root)Sources/\(name)"
    let used = uses.map(dependency)
    if name.first!.isLowercase { return [.executableTarget(name: name, dependencies: used, path: path)] }
    let target = Target.target(
      name: name, dependencies: used, path: path,
      exclude: isPlugin ? ["\(parts[0]).plugin.yaml"] : [], resources: resources[name].map { [$0] },
      swiftSettings: optimized.map { $0.contains(name) ? [] : [.unsafeFlags(["-Onone"])] })
    let besides = [name] + uses + words(isPlugin ? "FlowTestKit TestSupport" : "")
    return [target] + lists.dropFirst(2).map { test("\(name)Tests", besides + $0) }
  }
}

/// What a word of the table names: a target, or a product of a package.
func dependency(_ word: String) -> Target.Dependency {
  let name = String(word.prefix { $0 != "?" && $0 != "!" })
  let trait = word.hasSuffix("?") ? "Network" : word.hasSuffix("!") ? "Observability" : nil
  let condition = trait.flatMap { TargetDependencyCondition.when(traits: [$0]) }
  let package = packages.first { words($0.products[...]).contains(name) }?.path.split(separator: "/").last
  return package.map { .product(name: name, package: String($0), condition: condition) }
    ?? .target(name: name, condition: condition)
}

func words(_ text: Substring) -> [String] { text.split(separator: " ").map(String.init) }
