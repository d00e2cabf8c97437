import TestSupport
import Testing

#if os(Linux)
  /// The code that is compiled only for Apple's platforms, checked against declarations of the SDK (`Tests/Apple`).
  /// `make test-release` checks all modules.
  @Suite(.enabled(if: hasPython, "python3 is not installed"), .timeLimit(.minutes(10)))
  struct `Code for Apple's platforms` {
    @Test func `type-checks in FlowPlatform and in the clocks of the engine`() throws {
      let (status, text) = try Shell.run("scripts/apple-branches --quick", in: Repository.root.path, limitSeconds: 540)
      #expect(status == 0, "\(text)")
    }
  }

  private let hasPython = (try? Shell.run("command -v python3"))?.status == 0
#endif
