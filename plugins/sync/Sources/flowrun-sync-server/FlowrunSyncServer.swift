#if Network
  import ArgumentParser
  import Foundation

  /// `flowrun-sync-server`: serves zones, manages their tokens, and gives a copied store a new identity.
  @main struct FlowrunSyncServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "flowrun-sync-server",
      abstract: "Serves synchronization zones to devices over HTTP or HTTPS.",
      discussion: "Exit codes: 0 stopped or done, 1 the store, the port or a file cannot be used, 64 wrong usage.",
      subcommands: [Serve.self, Zones.self, Store.self], defaultSubcommand: Serve.self)

    /// Prints a message to standard error.
    static func report(_ text: String) {
      FileHandle.standardError.write(Data("flowrun-sync-server: \(text)\n".utf8))
    }
  }
#else
  @main struct FlowrunSyncServer {
    static func main() {
      print("flowrun-sync-server: built without the package trait Network; build it with: swift build --traits Network")
    }
  }
#endif
