import ArgumentParser
import FlowCommandKit
import FlowSystem

/// `flowrun ui` replaces this process with `flowrun-ui`, a separate program that contains a web server.
struct UICommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "ui", abstract: "Shows runs in the browser, and starts, resumes and cancels them.",
    discussion: """
      Examples:
        flowrun ui
        flowrun ui workflows --open
        flowrun ui --read-only --port 0
      It prints a link with a token and serves this machine until Ctrl-C. Runs that it started are cancelled with it.
      """)

  @OptionGroup var arguments: UIArguments

  /// The path of `flowrun-ui`, which is in the same folder as this program.
  private static var program: String { FilePath.folder(of: OwnProgram.path) + "/flowrun-ui" }

  func perform() async throws {
    guard FilePath.isFile(Self.program) else {
      throw RunProblem(
        "there is no program '\(Self.program)'; install the package flowrun-ui, or build it with 'make ui' in flowrun's "
          + "repository and put it next to flowrun")
    }
    // The new program inherits the set of blocked signals. In this process, a thread handles them, but that thread ends
    // now.
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
    let words = CStrings([Self.program] + ProcessArguments.all.drop { $0 != "ui" }.dropFirst())
    withExtendedLifetime(words) { _ = words.pointers.baseAddress.map { execv(Self.program, $0) } }
    throw RunProblem("cannot start '\(Self.program)': \(SystemError.reason(errno))")
  }
}
