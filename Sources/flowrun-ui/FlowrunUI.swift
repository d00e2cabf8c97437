#if Network
  import ArgumentParser
  import FlowCLI
  import FlowServing
  import FlowUI
  import Foundation

  /// The program `flowrun-ui`. `flowrun ui` starts it.
  @main struct FlowrunUI: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "flowrun ui", abstract: "Shows runs in the browser, and starts, resumes and cancels them.",
      discussion: "Exit codes: 0 stopped, 1 the port or a store cannot be used, 64 wrong usage.")

    @OptionGroup var arguments: UIArguments

    func run() async throws {
      // A run that this program starts may end before it has read its input.
      signal(SIGPIPE, SIG_IGN)
      _ = DescriptorLimit.raise()
      let settings = try settings()
      do {
        try await UIServer(settings).run { [opens = arguments.open, isReadOnly = settings.isReadOnly] link, once in
          print("flowrun ui\(isReadOnly ? " (read-only)" : ""): \(link)\nPress Ctrl-C to stop.")
          fflush(nil)
          if opens { Self.open(once) }
        }
      } catch {
        Self.report("\(error)")
        throw ExitCode(1)
      }
    }

    private func settings() throws -> UISettings {
      let library: RunLibrary
      do {
        library = try RunLibrary(
          folder: arguments.folder, store: arguments.store, pluginFolders: arguments.pluginFolders,
          isReadOnly: arguments.readOnly)
      } catch {
        throw ValidationError(RunLibrary.message(of: error))
      }
      let program = UIProgram.flowrun
      if !arguments.readOnly, !FileManager.default.isExecutableFile(atPath: program) {
        throw ValidationError(
          "runs are started with '\(program)', which is missing; put flowrun there, or add --read-only")
      }
      var settings = UISettings(library: library, token: try token(), flowrun: program)
      (settings.host, settings.port, settings.isReadOnly) = (arguments.listen, arguments.port, arguments.readOnly)
      if let text = arguments.publicURL {
        guard let address = PublicAddress(text) else {
          throw ValidationError(
            "--public-url '\(text)': expected an address without a path, such as https://flows.example.com")
        }
        settings.publicURL = address
      }
      if !settings.isLoopback, arguments.tokenFile == nil {
        throw ValidationError("--listen \(settings.host) can be reached from other machines; add --token-file")
      }
      if let problem = settings.problem { throw ValidationError(problem) }
      return settings
    }

    private func token() throws -> String {
      guard let file = arguments.tokenFile else { return UISettings.randomToken() }
      guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
        throw ValidationError("--token-file: cannot read '\(file)'")
      }
      return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Opens a link in the browser. The link works only once, because other programs on this machine can see it.
    private static func open(_ link: String) {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      #if canImport(Darwin)
        process.arguments = ["open", link]
      #else
        process.arguments = ["xdg-open", link]
      #endif
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      do {
        try process.run()
      } catch {
        report("cannot open a browser: \(error)")
      }
    }

    private static func report(_ text: String) { FileHandle.standardError.write(Data("flowrun ui: \(text)\n".utf8)) }
  }
#else
  @main struct FlowrunUI {
    static func main() {
      print("flowrun-ui: built without the package trait Network; build it with: swift build --traits Network")
    }
  }
#endif
