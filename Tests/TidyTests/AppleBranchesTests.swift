import TestSupport
import Testing

#if os(Linux)
  /// Type-checks code that is compiled only for Apple's platforms against declarations of the SDK in `Tests/Apple`.
  /// `make test-release` checks all modules.
  @Suite(.enabled(if: hasPython, "python3 is not installed"), .timeLimit(.minutes(10)))
  struct `Code for Apple's platforms` {
    @Test func `code for Apple's platforms type-checks in FlowPlatform and in the engine's clocks`() throws {
      let (status, text) = try Shell.run("scripts/apple-branches --quick", in: Repository.root.path, limitSeconds: 540)
      #expect(status == 0, "\(text)")
    }
  }

  private let hasPython = (try? Shell.run("command -v python3"))?.status == 0
#endif
