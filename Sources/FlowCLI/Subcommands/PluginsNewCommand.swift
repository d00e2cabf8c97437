import ArgumentParser
import FlowCommandKit
import FlowPluginHost
import FlowSystem

/// `flowrun plugins new NAME` creates a working plugin.
struct PluginsNewCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Creates a working plugin with test cases in plugins/NAME.",
    discussion: """
      Example:
        flowrun plugins new shout --language python
      """)

  @Argument(help: ArgumentHelp("Its name: lower case letters, digits and hyphens.", valueName: "NAME"))
  var name: String

  @Option(help: ArgumentHelp("The language: swift, python, node or sh.", valueName: "LANGUAGE"))
  var language = PluginTemplate.Language.swift

  func perform() async throws {
    guard let template = PluginTemplate(name: name, language: language) else {
      throw UsageProblem(
        "'\(name)' cannot be the name of a plugin; write lower case letters, digits and single hyphens, such as 'my-tools'"
      )
    }
    if BuiltInPlugins.all.contains(where: { type(of: $0).name == name }) {
      throw UsageProblem("a built-in plugin is named '\(name)'; choose another name")
    }
    let folder = "plugins/\(name)"
    if FilePath.exists(folder) {
      throw UsageProblem("there is already something at '\(folder)'; choose another name or remove it")
    }
    for path in [FilePath.folder(of: folder), folder] where mkdir(path, 0o755) != 0 && errno != EEXIST {
      throw UsageProblem("cannot make the folder '\(path)': \(SystemError.reason(errno))")
    }
    for (file, text) in template.files.sorted(by: { $0.key < $1.key }) {
      try OutputFile.write(Array(text.utf8), to: "\(folder)/\(file)")
      StandardOutput.write("wrote \(folder)/\(file)\n")
    }
    StandardOutput.write(nextSteps(in: folder))
  }

  private func nextSteps(in folder: String) -> String {
    """

    Try it:
      flowrun plugins check \(folder)
      flowrun call \(name).text --with '{"text": "hello"}'

    Use it in a workflow next to 'plugins':
      name: hello
      steps:
        say: { uses: \(name).text, with: { text: hello } }

    """
  }
}

extension PluginTemplate.Language: ExpressibleByArgument {}
