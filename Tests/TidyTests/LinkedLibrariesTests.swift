#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// Tests that `flowrun` does not link full Foundation. Unlike FoundationEssentials, it contains 34 MB of Unicode
  /// tables.
  ///
  /// In debug builds, SwiftPM generates an accessor for resources that uses `Bundle`. It is never called.
  struct `The linked libraries of flowrun` {
    /// Prints the symbols of full Foundation that `flowrun` uses.
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

    @Test func `flowrun does not link full Foundation or its Unicode tables`() throws {
      let found = try Shell.run(Self.script)
      #expect(found.status == 0)
      #expect(found.output == "", "use FoundationEssentials or FlowPlatform for what these symbols do")
    }

    /// The sync server may use these attributes, because it links full Foundation.
    @Test func `no file calls attributesOfItem, whose results differ without full Foundation`() throws {
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
