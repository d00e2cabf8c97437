import FlowKitYAML
import Foundation
import TestSupport
import Testing

/// Tests the requirements of Apple's tools as far as this is possible without them.
struct `Packaging for Apple's platforms` {
  /// The functions for which Apple requires a reason, and the reasons: access to files in the app's own containers, and
  /// a check for free space before writing. If you call another such function, add it here with its reason.
  private static let timestamps = ["fstat", "fstatat", "getattrlist", "getattrlistbulk", "lstat", "stat"]
  private static let space = ["fstatfs", "fstatvfs", "statfs", "statvfs"]
  private static let reasons = [
    "NSPrivacyAccessedAPICategoryFileTimestamp": "C617.1", "NSPrivacyAccessedAPICategoryDiskSpace": "E174.1",
  ]
  private static let others = ["UserDefaults", "systemUptime", "mach_absolute_time(", "activeInputModes"]

  /// Returns the targets of all products for apps.
  private static func targets() throws -> [Manifest.Target] {
    let manifest = try Manifest.dumped()
    let names = Set(manifest.products.keys).subtracting(Manifest.notForApps)
      .filter { !$0.hasPrefix("flowrun") }
    let closure = names.reduce(into: Set<String>()) { $0.formUnion(manifest.closure(ofProduct: $1)) }
    return manifest.targets.filter { closure.contains($0.name) }
  }

  /// Returns the categories in a folder's privacy manifest with their reasons, or nil if there is no manifest.
  private static func declared(_ folder: String) throws -> [String: [String]]? {
    let file = Repository.root.appendingPathComponent("\(folder)/PrivacyInfo.xcprivacy")
    guard let data = try? Data(contentsOf: file) else { return nil }
    let plist = try #require(
      PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any], "\(folder)")
    #expect(plist["NSPrivacyTracking"] as? Bool == false)
    let entries = try #require(plist["NSPrivacyAccessedAPITypes"] as? [[String: Any]], "\(folder)")
    return Dictionary(
      uniqueKeysWithValues: entries.map {
        ($0["NSPrivacyAccessedAPIType"] as? String ?? "", $0["NSPrivacyAccessedAPITypeReasons"] as? [String] ?? [])
      })
  }

  #if os(Linux)
    @Test func `privacy manifests declare all required-reason APIs that modules for apps call`() throws {
      let objects = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
      var calling: Set<String> = []
      for target in try Self.targets() where FileManager.default.fileExists(atPath: "\(objects)/\(target.name).build") {
        let found = try Shell.run(
          "find '\(objects)/\(target.name).build' -name '*.o' -exec nm -u {} + | awk 'NF == 2 { print $2 }' | sort -u")
        let calls = Set(found.output.split(separator: "\n").map(String.init))
        var needed: Set<String> = []
        if !calls.isDisjoint(with: Self.timestamps) { needed.insert("NSPrivacyAccessedAPICategoryFileTimestamp") }
        if !calls.isDisjoint(with: Self.space) { needed.insert("NSPrivacyAccessedAPICategoryDiskSpace") }
        if !needed.isEmpty { calling.insert(target.name) }
        let declared = try Self.declared(target.folder) ?? [:]
        guard needed.isSubset(of: declared.keys) else {
          let named = calls.intersection(Self.timestamps + Self.space).sorted()
          Issue.record("\(target.name) calls \(named) and declares \(declared.keys.sorted())")
          continue
        }
      }
      #expect(calling.isSuperset(of: ["FlowPlatform", "FlowEngine", "StorageCore"]), "\(calling.sorted())")
    }
  #endif

  @Test func `privacy manifests contain only valid reasons, and Package.swift lists all of their modules`()
    throws
  {
    let listed = try #require(
      Repository.text("Package.swift").split(separator: "let privacyManifests: Set = [").last?.split(separator: "]")
        .first)
    var found: Set<String> = []
    for target in try Manifest.dumped().targets {
      guard let declared = try Self.declared(target.folder) else { continue }
      found.insert(target.name)
      #expect(!declared.isEmpty, "\(target.name)")
      for (category, reasons) in declared {
        #expect(Self.reasons[category].map { [$0] } == reasons, "\(target.name): \(category)")
      }
      #expect(listed.contains("\"\(target.name)\""), "Package.swift does not name \(target.name)")
    }
    #expect(listed.split(separator: ",").count(where: { $0.contains("\"") }) == found.count)
    #expect(found.count > 8)
  }

  @Test func `modules for apps use no required-reason APIs except those for file timestamps and disk space`() throws {
    for target in try Self.targets() {
      for ending in [".swift", ".c", ".h"] {
        for file in Repository.files(below: target.folder, ending: ending) {
          let code = try Repository.text(file).split(separator: "\n").filter { !$0.trimmingPrefix(" ").hasPrefix("//") }
          for word in Self.others where !file.contains("/include/") {
            #expect(!code.contains { $0.contains(word) }, "\(file) calls \(word)")
          }
        }
      }
    }
  }

  @Test func `.spi.yml names only existing schemes and targets`() throws {
    let source = SourceText(Array(try Repository.text(".spi.yml").utf8), file: ".spi.yml")
    let (value, diagnostics) = PlacedValue.read(source)
    #expect(diagnostics.isEmpty)
    let configs = try #require(value?.member("builder")?.value.member("configs")?.value)
    guard case .list(let entries) = configs.content else {
      Issue.record("no list of configs")
      return
    }
    let manifest = try Manifest.dumped()
    var platforms: [String] = []
    for entry in entries {
      func text(_ key: String) -> String? {
        guard case .scalar(.string(let text))? = entry.member(key)?.value.content else { return nil }
        return text
      }
      platforms.append(try #require(text("platform")))
      // The scheme must be a product for apps, because others cannot be built for these platforms.
      if let scheme = text("scheme") {
        #expect(manifest.products[scheme] != nil, "\(scheme)")
        #expect(!Manifest.notForApps.contains(scheme), "\(scheme)")
      }
      if let name = text("target") { #expect(manifest.targets.contains { $0.name == name }, "\(name)") }
      if case .list(let names)? = entry.member("documentation_targets")?.value.content {
        for name in names {
          guard case .scalar(.string(let name)) = name.content else { continue }
          #expect(manifest.targets.contains { $0.name == name }, "\(name)")
        }
      }
    }
    #expect(platforms.contains("ios"))
  }

  @Test func `Package.swift uses SQLite from Apple's SDK on a Mac, not from Homebrew`() throws {
    let text = try Repository.text("Package.swift")
    #expect(text.contains("#if os(macOS)") && text.contains("Target.systemLibrary(name: \"CSQLite\")\n#else"))
    #expect(!text.contains(".brew([\"sqlite\"])"))
  }
}
