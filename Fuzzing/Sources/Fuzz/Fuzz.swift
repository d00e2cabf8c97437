import CLibFuzzer

/// Runs the fuzzer: `Fuzz TARGET [libFuzzer's options] [folders of inputs]`. An input for which a check fails is stored
/// as `crash-…`.
@main
enum Fuzz {
  /// The check of the selected target, set once before the fuzzer starts. It is global because the fuzzer's callback is
  /// a C function, which cannot capture it.
  nonisolated(unsafe) fileprivate static var check: @Sendable ([UInt8]) -> Void = { _ in }

  static func main() {
    guard CommandLine.arguments.count > 1, let target = Target(rawValue: CommandLine.arguments[1]) else {
      let names = Target.allCases.map(\.rawValue).joined(separator: "|")
      fatalError("usage: Fuzz \(names) [libFuzzer's options] [folders of inputs]")
    }
    check = target.check
    var count = CommandLine.argc - 1
    // libFuzzer reads its own arguments, which follow the name of the target.
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
    _ = LLVMFuzzerRunDriver(&count, &arguments) { data, size in
      Fuzz.check(Array(UnsafeBufferPointer(start: data, count: size)))
      return 0
    }
  }
}
