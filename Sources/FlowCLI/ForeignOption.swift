/// Options of other tools that run steps, such as make, just and Task, with their equivalents in flowrun.
enum ForeignOption {
  private static let remedies: [([String], String)] = [
    (["-l", "--list", "--list-all"], "'flowrun' alone lists the steps of flowrun.yaml"),
    (["-n", "--dry-run", "--dry", "--just-print"], "did you mean '--explain'?"),
    (["-j", "-p", "--jobs", "--parallel", "--concurrency"], "write 'concurrency: N' in the file"),
    (["-f", "-t", "--file", "--justfile", "--taskfile", "--makefile"], "name the file first: 'flowrun FILE STEP'"),
    (["-C", "-d", "--dir", "--directory"], "name the file in its folder: 'flowrun FOLDER/FILE'"),
    (["-q", "-s", "--silent"], "did you mean '--quiet'?"),
    (["-v"], "did you mean '--verbose' or '--version'?"),
    (["-V"], "did you mean '--version'?"),
    (["-w"], "did you mean '--watch'?"),
    (["-k", "--keep-going"], "steps that do not depend on a failed one always continue"),
    (["-B", "--always-make", "--forceall"], "did you mean '--force'?"),
    (["--set", "--var", "--vars", "--param", "--params"], "did you mean '-i NAME=VALUE'?"),
    (["-e", "--env"], "set the variable before the command: 'NAME=VALUE flowrun …'"),
  ]

  /// Returns a suggestion for an option, or nil if no known tool has it.
  static func remedy(for option: String) -> String? { remedies.first { $0.0.contains(option) }?.1 }
}
