import Foundation
import TestSupport
import Testing

#if os(Linux)
  @Suite(.enabled(if: hasPython, "python3 is not installed"), .timeLimit(.minutes(10)))
  struct `The public names of each product` {
    @Test func `the public names of each product match the lists in docs/api`() throws {
      let build = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
      let (status, text) = try Shell.run(
        "scripts/public-api --check --build '\(build)'", in: Repository.root.path, limitSeconds: 540)
      #expect(status == 0, "\(text)")
    }
  }

  private let hasPython = (try? Shell.run("command -v python3"))?.status == 0
#endif
