/// Reads the arguments of `flowrun run` where they are as plain as they nearly always are.
///
/// To work out by reflection what the subcommands take is twice the rest of a start. What is not understood here (help,
/// an abbreviation, `--report=FILE`, a mistake) is left to the argument parser, which says what is wrong; a test holds
/// that what is understood means the same to both.
enum PlainRunArguments {
  /// What the arguments ask for, or nil if the argument parser must look.
  static func request(_ arguments: [String]) -> RunRequest? {
    var rest = arguments[...]
    if rest.first == "run" { rest.removeFirst() }
    var request = RunRequest(file: "")
    while let word = rest.popFirst() {
      guard word.utf8.first == UInt8(ascii: "-") else {
        // A file by its name: another word may be a subcommand, nearly one, or a step.
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
        case "--report" where request.outputs.report == nil: request.outputs.report = value
        case "--trace" where request.outputs.trace == nil: request.outputs.trace = value
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
