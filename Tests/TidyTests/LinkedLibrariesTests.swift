#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// The libraries that `flowrun` must not link. Full Foundation contains 34 MB of Unicode tables, unlike
  /// FoundationEssentials.
  ///
  /// SwiftPM generates an accessor for resources that uses `Bundle`. It is never called, and only builds without
  /// optimization contain it.
  @Suite struct `The linked libraries of flowrun` {
    /// The symbols that `flowrun` uses from full Foundation.
    private static let script = """
      binary='\(FlowrunProcess.path)'
      libraries=$(ldd "$binary" | awk '/libFoundation\\.so|libFoundationInternationalization|_FoundationICU/ { print $3 }')
      if [ -n "$libraries" ]; then
        undefined=$(nm -D --undefined-only "$binary" | awk '{ print $NF }' | sort -u)
        comm -12 <(echo "$undefined") <(nm -D --defined-only $libraries | awk 'NF == 3 { print $3 }' | sort -u) |
          { grep -v '^$s10Foundation6BundleC' || true; }
      else
        nm -a "$binary" | awk '$NF ~ /^icudt|10Foundation/ { print $NF }' | head -20
      fi
      """

    @Test func `exclude full Foundation and its Unicode tables`() throws {
      let found = try Shell.run(Self.script)
      #expect(found.status == 0)
      #expect(found.output == "", "use FoundationEssentials or FlowPlatform for what these symbols do")
    }

    /// The sync server is excluded, because it links full Foundation.
    @Test func `do not require FileManager's file attributes, whose types differ without full Foundation`() throws {
      let plugins = Repository.files(below: "plugins", ending: ".swift").filter {
        $0.contains("/Sources/") && !$0.contains("/Sources/SyncServer/")
      }
      let files = Repository.files(below: "Sources", ending: ".swift") + plugins
      #expect(files.count > 500)
      let uses = try files.filter { try Repository.text($0).contains("attributesOfItem(") }
      #expect(uses.isEmpty, "use FlowPlatform for the size and the rights of a file")
    }
  }
#endif
