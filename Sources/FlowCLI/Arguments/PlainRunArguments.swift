/// A fast parser for the most common arguments of `flowrun run`.
///
/// The argument parser inspects all subcommands by reflection, which takes twice as long as the rest of the start. It
/// is used only for arguments that this parser does not support: help, abbreviations, `--report=FILE` and mistakes. A
/// test checks that both parsers agree.
enum PlainRunArguments {
  /// Returns the request, or nil if the argument parser must be used.
  static func request(_ arguments: [String]) -> RunRequest? {
    var rest = arguments[...]
    if rest.first == "run" { rest.removeFirst() }
    var request = RunRequest(file: "")
    while let word = rest.popFirst() {
      guard word.utf8.first == UInt8(ascii: "-") else {
        // Only a word that looks like a file name is accepted. Any other word may be a subcommand, possibly misspelled,
        // or a step.
        if request.file.isEmpty {
          guard StepWords.isFileName(word) else { return nil }
          request.file = word
        } else {
          request.steps.append(word)
        }
        continue
      }
      switch word {
      case "--json": request.isJSON = true
      case "--strict": request.isStrict = true
      case "--quiet": request.isQuiet = true
      case "--verbose": request.isVerbose = true
      case "--durable": request.isDurable = true
      case "--no-history": request.keepsHistory = false
      case "--no-needs": request.leavesOutNeeds = true
      default:
        guard let value = rest.popFirst(), !value.isEmpty, value.utf8.first != UInt8(ascii: "-") else { return nil }
        switch word {
        case "-i", "--input": request.inputs.append(value)
        case "--launch" where request.launch == nil: request.launch = value
        case "--event": request.events.append(value)
        case "--prewarm" where request.prewarm == nil: request.prewarm = value
        case "--report": request.outputs.reports.append(value)
        case "--trace": request.outputs.traces.append(value)
        case "--data" where request.data == nil: request.data = value
        case "--on" where request.on == nil: request.on = value
        case "--resources" where request.resources == nil: request.resources = value
        case "--plugin-dir": request.pluginFolders.append(value)
        default: return nil
        }
      }
    }
    return request.file.isEmpty ? nil : request
  }
}
