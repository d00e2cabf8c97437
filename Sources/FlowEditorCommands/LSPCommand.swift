import ArgumentParser
import FlowCLI
import FlowCommandKit
import FlowEngine
import FlowLanguageServer
import FlowModel
import FlowPluginHost
import FlowPluginKit
import FlowSyntax
import FlowSystem

/// Provides the subcommand that editors start.
package struct EditorCommands: SubcommandProvider {
  package init() {}

  package var subcommands: [ProvidedSubcommand] { [ProvidedSubcommand(.servers, LSPCommand.self)] }
}

/// `flowrun lsp`: runs the language server for editors.
struct LSPCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "lsp", abstract: "Speaks the Language Server Protocol with an editor.",
    discussion: """
      Examples:
        flowrun lsp --plugin-dir tools/plugins
      Reads from standard input and writes to standard output until the editor quits. See docs/editor.md for the setup of \
      VS Code, Neovim, Helix, Zed, Emacs and JetBrains.
      """)

  @Flag(help: "For compatibility; standard input and output are the only transport.")
  var stdio = false

  @OptionGroup var plugins: PluginArguments

  func perform() async throws {
    if isatty(0) == 1 {
      StandardOutput.writeError("flowrun lsp: this command is for editors, see docs/editor.md; press Ctrl-D to quit\n")
    }
    let workspace = Self.workspace(plugins.folders)
    let code: Int32
    do throws(SystemError) {
      code = try await DetachedThread.run {
        LanguageServer(workspace) { StandardOutput.writeError("flowrun lsp: \($0)\n") }.run()
      }
    } catch {
      throw UsageProblem("\(error)")
    }
    ExitStatus.exit(code)
  }

  /// Returns a workspace that checks files with the installed plugins, as `flowrun validate` does.
  static func workspace(_ folders: [String]) -> LanguageWorkspace {
    LanguageWorkspace(
      version: Release.version,
      install: { file in
        do throws(InvalidWorkflow) {
          let installation = try Installation(around: file, given: folders)
          let unusable = installation.unusable.map {
            "flowrun: the plugin in '\($0.folder)' is not used\n\($0.description)"
          }
          return InstalledActions(
            catalog: installation.registry, warning: unusable.isEmpty ? nil : unusable.joined(separator: "\n"),
            executors: installation.external.filter { $0.manifest.executor != nil }.map(\.name)
          ) { result, file in
            let check = FileCheck(result, file: file, installation)
            return (check.own, check.others)
          }
        } catch {
          return InstalledActions(catalog: ActionRegistry(BuiltInPlugins.all), warning: error.description)
        }
      },
      stamp: { file in
        PluginFinder(
          given: folders, start: FilePath.folder(of: FilePath.absolute(file)),
          included: IncludeScan.files(includedBy: file).map(FilePath.folder)
        ).stamp()
      },
      files: FileAccess.included,
      names: { folder in
        (FilePath.names(in: folder) ?? []).map { FilePath.isFolder(folder + "/" + $0) ? $0 + "/" : $0 }
      },
      pluginFileCheck: { PluginFiles.check($0, $1)?.report },
      rank: { graph in
        let plan = Plan(graph: graph)
        return graph.workflow.steps.indices.map { plan.rank(of: StepIndex($0)) + 1 }
      },
      history: { file, step in
        StepHistory(
          RecordedDurations.of(step, in: FilePath.absolute(file)) { file in
            (try? Installation(around: file, given: folders))?.registry
          })
      })
  }
}
