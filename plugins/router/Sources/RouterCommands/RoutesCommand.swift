import ArgumentParser
import FlowCommandKit
import FlowDiagnostics
import FlowModel
import RouterPlugin

/// `flowrun routes`: shows the routes declared by the `router.register` steps of a workflow. The workflow is not run.
package struct RoutesCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "routes", abstract: "Lists, checks and tries the routes of a workflow.",
    discussion: """
      Examples:
        flowrun routes workflows/notification.yaml
        flowrun routes check workflows/notification.yaml
        flowrun routes open workflows/notification.yaml app://product/42
      """,
    subcommands: [List.self, Check.self, Open.self], defaultSubcommand: List.self)

  package init() {}

  /// `flowrun routes FILE`: lists every route with its page and action.
  struct List: Subcommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Lists the routes (the default).")

    @Argument(help: ArgumentHelp("The workflow file.", valueName: "FILE"), completion: Completions.files)
    var file: String

    @OptionGroup var plugins: PluginArguments

    func perform() async throws { StandardOutput.write(try RoutesCommand.routes(of: file, plugins).listing) }
  }

  /// `flowrun routes check FILE`: lists routes that no URL reaches, and exits with 1 if there are any.
  struct Check: Subcommand {
    static let configuration = CommandConfiguration(
      commandName: "check", abstract: "Finds routes that no URL reaches.")

    @Argument(help: ArgumentHelp("The workflow file.", valueName: "FILE"), completion: Completions.files)
    var file: String

    @OptionGroup var plugins: PluginArguments

    func perform() async throws {
      let routes = try RoutesCommand.routes(of: file, plugins)
      for line in routes.shadowed { StandardOutput.write(line + "\n") }
      if routes.shadowed.isEmpty {
        StandardOutput.write("all \(routes.count) routes are reachable\n")
      } else {
        ExitStatus.failure.exit()
      }
    }
  }

  /// `flowrun routes open FILE URL`: prints what a tap on the link would do, and exits with 1 if it would open nothing.
  /// With `-` as the URL, answers each line of the input and exits with 0.
  struct Open: Subcommand {
    static let configuration = CommandConfiguration(
      commandName: "open", abstract: "Shows what a tap on a URL would do.")

    @Argument(help: ArgumentHelp("The workflow file.", valueName: "FILE"), completion: Completions.files)
    var file: String

    @Argument(help: ArgumentHelp("The URL; - reads one per line from standard input.", valueName: "URL"))
    var url: String

    @Option(
      help: ArgumentHelp(
        "Where it comes from: notification, url-scheme, universal-link or internal; default: inferred from the URL.",
        valueName: "SOURCE"))
    var source: String?

    @Flag(help: "Prints one JSON object per URL.")
    var json = false

    @OptionGroup var plugins: PluginArguments

    func perform() async throws {
      if let source, !DeclaredRoutes.sources.contains(source) {
        throw UsageProblem("--source '\(source)' is not one of \(DeclaredRoutes.sources.joined(separator: ", "))")
      }
      let routes = try RoutesCommand.routes(of: file, plugins)
      if url == "-" { return answerLines(routes) }
      let outcome = routes.outcome(of: url, from: source)
      StandardOutput.write(line(outcome))
      if outcome["result"] != "opened" { ExitStatus.failure.exit() }
    }

    /// Prints one line per line of input. Blank lines and lines that are too long are answered as well.
    private func answerLines(_ routes: DeclaredRoutes) {
      var reader = LineReader(limit: Limits.jsonBytes)
      var output: [UInt8] = []
      while true {
        if !reader.hasLineReady() || output.count > 1 << 16 {
          StandardOutput.write(output)
          output.removeAll(keepingCapacity: true)
        }
        guard !StandardOutput.hasFailed, let next = reader.next() else { break }
        let outcome =
          switch next {
          case .bytes(let bytes): answer(bytes, routes)
          case .tooLong:
            DeclaredRoutes.unreadable("url-too-long", "the line is longer than \(Limits.jsonBytes >> 20) MiB")
          }
        output += line(outcome)
      }
      StandardOutput.write(output)
    }

    private func answer(_ bytes: ArraySlice<UInt8>, _ routes: DeclaredRoutes) -> ValueObject {
      let bytes = bytes.last == 13 ? bytes.dropLast() : bytes
      guard let text = String(validating: bytes, as: UTF8.self) else {
        return DeclaredRoutes.unreadable("invalid-utf8", "the line is not UTF-8")
      }
      return routes.outcome(of: text, from: source)
    }

    private func line(_ outcome: ValueObject) -> [UInt8] {
      let bytes =
        json
        ? JSONText.bytes(of: .object(outcome)) : Array(TerminalText.visible(DeclaredRoutes.sentence(outcome)).utf8)
      return bytes + [10]
    }
  }

  private static func routes(of file: String, _ plugins: PluginArguments) throws -> DeclaredRoutes {
    let workflow = try WorkflowReader.workflow(in: file, plugins)
    do throws(DeclaredRoutes.RoutesProblem) {
      return try DeclaredRoutes(workflow)
    } catch {
      throw InvalidWorkflow(description: "\(file): error: \(error)\n")
    }
  }
}
