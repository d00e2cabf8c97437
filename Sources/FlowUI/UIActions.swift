#if Network
  import FlowCLI
  import FlowEngine
  import FlowModel
  import FlowStore
  import FlowSystem
  import Hummingbird
  import HummingbirdCore

  /// Handles the actions that pages send. Each corresponds to a command of `flowrun`.
  struct UIActions {
    let settings: UISettings
    let starter: RunStarter

    var library: RunLibrary { settings.library }

    /// The maximum size of an action's body in bytes.
    private static let bodyBytes = 4 << 20

    /// An error in a request, with the name of the input that caused it, or nil if no input did.
    struct Refusal: Error {
      let text: String
      var input: String?
    }

    func answer(_ request: Request, _ path: String) async throws -> Response {
      guard !settings.isReadOnly else { return .problem(.forbidden, "This server only shows runs (--read-only).") }
      guard request.headers[.contentType] == "application/json" else {
        return .problem(.unsupportedMediaType, "Expected JSON.")
      }
      let bytes: [UInt8]
      do {
        bytes = Array(buffer: try await request.body.collect(upTo: Self.bodyBytes))
      } catch {
        return .problem(.contentTooLarge, "An action takes at most \(Self.bodyBytes >> 20) MiB.")
      }
      guard let body = (try? JSONText.parse(bytes))?.objectValue else {
        return .problem(.badRequest, "Expected a JSON object.")
      }
      do {
        switch path {
        case "/actions/run": return try await run(body)
        case "/actions/again": return try await runAgain(body)
        case "/actions/resume": return try await resume(body)
        case "/actions/cancel": return try await ask(body, [:], .cancel, "The run is being cancelled.")
        case "/actions/post":
          let event = try text(body, "event")
          return try await ask(body, ["event": .string(event)], .post, "Event \(event) is posted.")
        case "/actions/answer":
          let step = try text(body, "step")
          if let secret = body["secret"]?.stringValue {
            let (run, store) = try await found(body)
            try await library.answer(run, in: store, step, withSecret: secret)
            return .json(["message": "The step has its answer."])
          }
          let choice = try text(body, "choice")
          return try await ask(
            body, ["step": .string(step), "choice": .string(choice)], .answer, "The answer is \(choice).")
        default: return .problem(.notFound, "There is no such action.")
        }
      } catch let refusal as Refusal {
        return .problem(.badRequest, refusal.text, input: refusal.input)
      } catch let problem as RunStarter.StartProblem {
        return .problem(.conflict, problem.text)
      } catch {
        return .problem(.conflict, RunLibrary.message(of: error))
      }
    }

    func text(_ body: ValueObject, _ name: String) throws -> String {
      guard let text = body[name]?.stringValue, !text.isEmpty else { throw Refusal(text: "'\(name)' is missing.") }
      return text
    }

    func found(_ body: ValueObject) async throws -> (run: StoredRun, store: any RunStore) {
      let id = try text(body, "run")
      let found = try await DetachedThread.run { [library] in Result { try library.find(id) } }.get()
      guard let found else { throw Refusal(text: "There is no run '\(id)'.") }
      return found
    }

    private func ask(
      _ body: ValueObject, _ fields: ValueObject, _ word: RunRequestWord, _ message: String
    ) async throws -> Response {
      let (run, store) = try await found(body)
      var question = fields
      question["ask"] = .string(word.rawValue)
      try await library.ask(run, in: store, question)
      return .json(["message": .string(message)])
    }

    /// The arguments that every run of this library needs.
    var storeWords: [String] {
      (library.address.map { ["--store", $0] } ?? []) + library.pluginFolders.flatMap { ["--plugin-dir", $0] }
    }

    private func resume(_ body: ValueObject) async throws -> Response {
      let (run, _) = try await found(body)
      var words = ["resume", run.id] + storeWords
      if library.address == nil { words += ["--in", FilePath.folder(of: run.file)] }
      _ = try await starter.start(words, in: library.folder, input: nil)
      return .json(["location": .string("/runs/\(run.id)"), "message": "The run is resumed."])
    }
  }
#endif
