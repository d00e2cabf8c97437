import FlowPlatform

/// Lines of standard input as a stream.
enum InputLines {
  /// Reads on a thread of its own, since reading blocks; the thread ends with the input or the process. Throws where the
  /// system gives no thread.
  static func standardInput() throws(SystemError) -> AsyncStream<String> {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    try DetachedThread.start(name: "input") {
      while let line = readLine() {
        if case .terminated = continuation.yield(line) { return }
      }
      continuation.finish()
    }
    return stream
  }
}
