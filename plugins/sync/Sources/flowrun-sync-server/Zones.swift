#if Network
  import ArgumentParser
  import SyncServer

  /// `flowrun-sync-server zones`: manages zones and their tokens. A running server applies each change within a second.
  struct Zones: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Adds, lists and removes zones and replaces their tokens, also while a server runs.",
      subcommands: [Add.self, List.self, Rotate.self, Revoke.self])

    struct File: ParsableArguments {
      @Option(help: "The file of the zones and their tokens.") var zones: String
      @Flag(help: "Take a zones file that other users of this machine can read.") var readableZones = false

      /// Calls `body` with the zones file. If it throws, prints the error and exits with status 1.
      func change<Value>(_ body: (ZonesFile) throws -> Value) throws -> Value {
        do {
          return try body(ZonesFile(path: zones, mayBeReadable: readableZones))
        } catch {
          FlowrunSyncServer.report("\(error)")
          throw ExitCode(1)
        }
      }
    }

    struct Add: ParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Creates a zone and prints its token, which is stored only as a hash.")
      @Argument(help: "The zone's name.") var name: String
      @OptionGroup var file: File

      func run() throws { print(try file.change { try $0.add(name) }) }
    }

    struct List: ParsableCommand {
      static let configuration = CommandConfiguration(abstract: "Prints the zones' names, one per line.")
      @OptionGroup var file: File

      func run() throws { for name in try file.change({ try $0.zones() }).keys.sorted() { print(name) } }
    }

    struct Rotate: ParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Gives a zone a new token and prints it; the old one no longer works.")
      @Argument(help: "The zone's name.") var name: String
      @OptionGroup var file: File

      func run() throws { print(try file.change { try $0.rotate(name) }) }
    }

    struct Revoke: ParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Removes a zone: its devices are refused. Its data stays in the store.")
      @Argument(help: "The zone's name.") var name: String
      @OptionGroup var file: File

      func run() throws { try file.change { try $0.revoke(name) } }
    }
  }
#endif
