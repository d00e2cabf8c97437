#if Network
  import FlowCLI
  import FlowModel
  import FlowSystem
  import Synchronization

  /// Starts runs as processes of the `flowrun` in the same folder, as a person would on the command line.
  ///
  /// A run that was started here is recorded in its store and ends with this process. If this process is asked to stop,
  /// the runs are cancelled, which their records show. If this process is killed, the runs are interrupted and can be
  /// resumed.
  final class RunStarter: Sendable {
    private let program: String
    private let limit: Int
    private let state = Mutex(State())

    private struct State {
      var groups: [Int: ProcessGroup] = [:]
      /// The number of processes that are being started.
      var starting = 0
      var next = 0
      var isStopping = false
    }

    /// The maximum time that a request waits for its run to start, in seconds.
    private static let startSeconds = 20
    /// The maximum time that this process waits for cancelled runs when it stops.
    private static let stopMilliseconds = 10_000
    /// The maximum size of the output that is kept for an error message if a run does not start.
    private static let messageBytes = 16 << 10

    /// Creates a starter that allows at most `limit` concurrent runs.
    init(program: String, limit: Int) { (self.program, self.limit) = (program, limit) }

    /// The reason why a run could not be started, as a text for users.
    struct StartProblem: Error { let text: String }

    /// Runs `flowrun` in a folder. Returns the run's id once the run has started, or nil if that takes too long. Throws
    /// a ``StartProblem`` if the run does not start, or if the server is stopping or has reached its limit of runs.
    ///
    /// - Parameters:
    ///   - words: The arguments, starting with the subcommand.
    ///   - input: The text for standard input.
    ///   - files: Temporary files, which are removed after the run has read them.
    func start(
      _ words: [String], in folder: String, input: String?, files: GivenFiles? = nil
    ) async throws -> String? {
      let number = try state.withLock { state in
        guard !state.isStopping else { throw StartProblem(text: "The server is stopping.") }
        guard state.groups.count + state.starting < limit else {
          throw StartProblem(
            text: "\(limit) runs that were started here are in progress; wait for one of them, or cancel one.")
        }
        state.starting += 1
        state.next += 1
        return state.next
      }
      let (begun, output):
        (AsyncStream<Result<String, StartProblem>>, AsyncStream<Result<String, StartProblem>>.Continuation)
      (begun, output) = AsyncStream.makeStream()
      do {
        try launch(words, folder, input, files, number, output)
      } catch {
        throw StartProblem(text: "\(error)")
      }
      let deadline = Task {
        try? await Task.sleep(for: .seconds(Self.startSeconds))
        output.finish()
      }
      defer { deadline.cancel() }
      for await result in begun { return try result.get() }
      return nil
    }

    private func launch(
      _ words: [String], _ folder: String, _ input: String?, _ files: GivenFiles?, _ number: Int,
      _ begun: AsyncStream<Result<String, StartProblem>>.Continuation
    ) throws {
      defer { state.withLock { $0.starting -= 1 } }
      let given = try Descriptor.pipe()
      let printed = try Descriptor.pipe()
      let group = try ProcessGroup(
        Program([program] + words + ["--json"], environment: RunLibrary.environment, folder: folder),
        input: given.reading.number, output: printed.writing.number, errors: printed.writing.number)
      state.withLock { $0.groups[number] = group }
      if let input {
        given.writing.setNonBlocking()
        _ = given.writing.send(Array(input.utf8)[...])
      }
      let reader = Reader(printed.takeReading())
      do {
        try DetachedThread.start(name: "run") { [self] in
          let text = reader.read {
            files?.remove()
            begun.yield(.success($0))
          }
          let ending = group.collect()
          files?.remove()
          state.withLock { $0.groups[number] = nil }
          // Has no effect if the run has started.
          begun.yield(.failure(StartProblem(text: text.isEmpty ? "flowrun \(ending.status)" : text)))
          begun.finish()
        }
      } catch {
        _ = group.end()
        state.withLock { $0.groups[number] = nil }
        throw error
      }
    }

    /// Cancels the runs that were started here, and waits for at most ``stopMilliseconds`` until they have ended.
    func stop() async {
      let groups = state.withLock { state in
        state.isStopping = true
        return Array(state.groups.values)
      }
      for group in groups { group.send(SIGTERM) }
      // Waiting requires a separate task, because sleep returns immediately in a cancelled task, such as that of the
      // server.
      await Task {
        var waited = 0
        while waited < Self.stopMilliseconds, !state.withLock({ $0.groups.isEmpty }) {
          try? await Task.sleep(for: .milliseconds(20))
          waited += 20
        }
      }.value
    }

    private final class Reader: Sendable {
      private let file: Descriptor

      init(_ file: consuming Descriptor) { self.file = file }

      /// Reads the whole output. Calls `begun` as soon as the run's id is printed. Returns the first lines before the
      /// id that are not JSON.
      func read(_ begun: (String) -> Void) -> String {
        var splitter = LineSplitter(longest: RunStarter.messageBytes)
        var message: [String] = []
        var hasBegun = false
        func handle(_ line: UnsafeRawBufferPointer) {
          guard !hasBegun else { return }
          let text = String(decoding: line, as: UTF8.self)
          let event = (try? JSONText.parse(text))?.objectValue
          if let run = event?["runId"]?.stringValue {
            hasBegun = true
            begun(run)
          } else if event == nil, message.count < 100 {
            message.append(text)
          }
        }
        withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
          while case .bytes(let count) = file.receive(into: buffer) {
            _ = splitter.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { line, _ in handle(line) }
          }
        }
        splitter.finish(handle)
        return message.joined(separator: "\n")
      }
    }
  }
#endif
