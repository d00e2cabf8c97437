#if Network
  import FlowCLI
  import FlowEngine
  import FlowModel
  import FlowStore
  import FlowSystem
  import Hummingbird
  import HummingbirdCore

  /// Starts runs in the folder of their workflow, as a person would on the command line.
  extension UIActions {
    /// The maximum number of times that the store is checked for a started run, every 50 ms.
    private static let journalLooks = 60
    /// The maximum number of bytes of one input, and of all inputs together, for passing them as arguments, which the
    /// system limits. Larger inputs are passed in files.
    private static let (wordBytes, allWordBytes) = (32 << 10, 256 << 10)

    func run(_ body: ValueObject) async throws -> Response {
      let name = try text(body, "file")
      let (file, form) = try await DetachedThread.run { [library] in
        let file = library.workflows(of: library.list()).first { $0.name == name }
        return (file, file.map { library.form(of: $0.path) })
      }
      guard let file, let form else { throw Refusal(text: "There is no workflow '\(name)'.") }
      guard form.problem.isEmpty, let workflow = form.workflow else { throw Refusal(text: form.problem) }
      var inputs: [RunLibrary.GivenInput] = []
      for (name, value) in body["inputs"]?.objectValue ?? [:] {
        guard let field = workflow.inputs.first(where: { $0.name == name }), let text = value.stringValue else {
          throw Refusal(text: "This workflow has no input '\(name)'.")
        }
        inputs.append(RunLibrary.GivenInput(field, text))
      }
      var reason: LaunchReason?
      if let launch = body["launch"]?.stringValue {
        reason = LaunchReason(rawValue: launch)
        guard reason != nil else { throw Refusal(text: "'\(launch)' is not a launch reason.") }
      }
      return try await start(file.path, workflow, inputs, reason)
    }

    /// Starts a run with the inputs and the launch reason of an earlier run. If one of the inputs is a secret, nothing
    /// is started, and the response contains the address of the form in which the user types it.
    func runAgain(_ body: ValueObject) async throws -> Response {
      let (run, _) = try await found(body)
      let (form, repetition) = try await DetachedThread.run { [library] in
        let form = library.form(of: run.file)
        return (form, Result { try form.workflow.map { try library.repetition(of: run, $0) } })
      }
      guard form.problem.isEmpty, let workflow = form.workflow, let repetition = try repetition.get() else {
        throw Refusal(text: form.problem)
      }
      guard !repetition.needsSecrets else {
        let page = UIMarkup.address(of: library.name(of: run.file))
        return .json([
          "location": .string("\(page)?from=\(run.id)"),
          "message": "A secret is not recorded; type it again.",
        ])
      }
      return try await start(run.file, workflow, repetition.inputs, repetition.launch)
    }

    private func start(
      _ file: String, _ workflow: Workflow, _ inputs: [RunLibrary.GivenInput], _ launch: LaunchReason?
    ) async throws -> Response {
      for given in inputs {
        if let problem = RunLibrary.problem(of: given) { throw Refusal(text: problem, input: given.field.name) }
      }
      let names = Set(inputs.map(\.field.name))
      for field in workflow.inputs
      where field.isRequired && field.defaultValue == nil && !names.contains(field.name) {
        throw Refusal(text: "A value is needed, of the type \(field.type.name).", input: field.name)
      }
      let secrets = inputs.filter(\.field.isSecret)
      if secrets.count > 1 {
        throw Refusal(
          text: "The page passes one secret to a run; start this workflow on the command line.",
          input: secrets[1].field.name)
      }
      var words = ["run", file]
      var folder: GivenFiles?
      var bytes = 0
      for given in inputs where !given.field.isSecret {
        let (name, text) = (given.field.name, given.text)
        bytes += text.utf8.count
        // Such a value is passed in a file. After a leading @, it would be read as a file name, and a combining
        // character would merge with the `=` before it.
        let isSpecial = text.utf8.first.map { $0 == UInt8(ascii: "@") || $0 >= 0x80 } ?? false
        if isSpecial || text.utf8.count > Self.wordBytes || bytes > Self.allWordBytes {
          let files = try folder ?? GivenFiles()
          folder = files
          words += ["-i", "\(name)=@\(try files.add(text))"]
        } else {
          words += ["-i", "\(name)=\(text)"]
        }
      }
      for given in secrets { words += ["-i", "\(given.field.name)=@-"] }
      if let launch, launch != .user { words += ["--launch", launch.rawValue] }
      let run: String?
      do {
        run = try await starter.start(
          words + storeWords, in: FilePath.folder(of: file), input: secrets.first?.text, files: folder)
      } catch {
        folder?.remove()
        throw error
      }
      // It takes a moment until the started run is in its store.
      for _ in 0..<Self.journalLooks {
        guard let run else { break }
        let isThere = try await DetachedThread.run { [library] in
          library.forgetFolders()
          return (try? library.find(run)) != nil
        }
        if isThere { break }
        try await Task.sleep(for: .milliseconds(50))
      }
      guard let run else { return .json(["location": "/", "message": "The run has not begun yet."]) }
      return .json(["location": .string("/runs/\(run)"), "message": "The run has begun."])
    }
  }
#endif
