import FlowCompiled
import FlowDiagnostics
import FlowModel
import FlowSyntax

/// Checks the workflows, the plugin interfaces and the other plugin files of an app's target, and compiles them to a
/// single Swift file.
package struct PackageBuild: Sendable {
  /// The files that the build plugin has found.
  package struct Request: Sendable {
    /// The paths of the target's workflow files.
    package var workflows: [String] = []
    /// The paths of the target's `*.plugin.yaml` files. The app implements their actions.
    package var ownInterfaces: [String] = []
    /// The paths of the `*.plugin.yaml` files in the packages that the target depends on.
    package var interfaces: [String] = []
    /// The paths of the target's files for plugins, which have one of the kinds in ``PackageFileKind``.
    package var pluginFiles: [String] = []
    /// The products of flowrun that the target depends on. Only those that a ``PackageFileKind`` lists are needed.
    package var products: [String] = []
    /// True if the target is a library, so that the generated declarations must be public.
    package var isLibrary = false

    package init() {}
  }

  /// The content of the Swift file, or nil if there is an error.
  package private(set) var source: String?
  /// All errors and warnings in the format of a compiler. Empty if there are none.
  package private(set) var messages = ""
  private var hasErrors = false

  /// Compiles the files of a request. `files` returns the content of a file, or nil if it cannot be read.
  package init(
    _ request: Request, kinds: [PackageFileKind] = [], files: @escaping @Sendable (String) -> [UInt8]?
  ) {
    let (pluginFiles, imports) = compile(request, kinds, files)
    var interfaces: [(file: String, interface: PluginInterface)] = []
    var own: [(file: String, interface: PluginInterface)] = []
    for file in request.ownInterfaces + request.interfaces {
      guard let bytes = read(file, files) else { continue }
      let result = PluginInterfaceLoader().load(bytes: bytes, file: file)
      report(result.diagnostics, in: result.source)
      guard let interface = result.interface else { continue }
      if let first = interfaces.first(where: { $0.interface.name == interface.name }) {
        report(
          [
            Diagnostic(
              .invalidName, "two plugins are named '\(interface.name)', this one and that of \(first.file)",
              at: result.nameSpan, help: "rename one of them")
          ], in: result.source)
        continue
      }
      interfaces.append((file, interface))
      if request.ownInterfaces.contains(file) {
        own.append((Self.name(of: file), interface))
      }
    }
    // Without a valid plugin, each step that uses it would cause another error.
    guard !hasErrors else { return }
    let catalog = InterfaceCatalog(interfaces.map(\.interface))
    var workflows: [(file: String, compiled: CompiledWorkflow)] = []
    for file in request.workflows {
      guard let bytes = read(file, files) else { continue }
      let result = WorkflowLoader(catalog: catalog, files: files).load(bytes: bytes, file: file)
      for part in result.included + [result] { report(part.diagnostics, in: part.source) }
      guard let compiled = result.compiled else {
        hasErrors = true
        continue
      }
      let stem = WorkflowSource.stem(Self.name(of: file))
      if let first = workflows.first(where: {
        SwiftNames.types([WorkflowSource.stem(Self.name(of: $0.file))]) == SwiftNames.types([stem])
      }) {
        report(
          [
            Diagnostic(
              .invalidName, "two workflows are named '\(stem)', this one and \(first.file)", at: TextSpan(at: 0),
              help: "rename one of the files")
          ], in: result.source)
        continue
      }
      workflows.append((file, compiled))
    }
    guard !hasErrors else { return }
    let access = request.isLibrary ? "public " : ""
    let plugins = zip(own, SwiftNames.typePrefixes(own.map(\.interface.name))).map { own, base in
      PluginSource(file: own.file, interface: own.interface, base: base, access: access)
    }
    let parts = pluginFiles.map { PackageFileSource(kind: $0.kind, files: $0.files, access: access).text }
    // A target that contains only files for plugins does not need the engine.
    let needsEngine = !workflows.isEmpty || !own.isEmpty || pluginFiles.isEmpty
    source = Self.source(
      workflows, plugins, parts, catalog, access, imports: (needsEngine ? ["FlowKit"] : []) + imports)
  }

  /// Compiles the files of each kind. Returns them, and the modules that define their types.
  private mutating func compile(
    _ request: Request, _ kinds: [PackageFileKind], _ files: (String) -> [UInt8]?
  ) -> (files: [(kind: PackageFileKind, files: [(name: String, bytes: [UInt8])])], imports: [String]) {
    var result: [(kind: PackageFileKind, files: [(name: String, bytes: [UInt8])])] = []
    var imports: [String] = []
    for kind in kinds {
      var compiled: [(name: String, bytes: [UInt8])] = []
      for file in request.pluginFiles where file.hasSuffix(kind.suffix) {
        guard let bytes = read(file, files) else { continue }
        let read = kind.compile(bytes, file)
        report(read.diagnostics, in: read.source)
        guard let bytes = read.bytes else {
          hasErrors = true
          continue
        }
        let (name, stem) = (Self.name(of: file), PackageFileSource.stem(Self.name(of: file), kind))
        let first = compiled.first {
          SwiftNames.types([PackageFileSource.stem($0.name, kind)]) == SwiftNames.types([stem])
        }
        if let first {
          report(
            [
              Diagnostic(
                .invalidName, "two files are named as the \(kind.name) '\(stem)', this one and \(first.name)",
                at: TextSpan(at: 0), help: "rename one of them")
            ], in: read.source)
        }
        if let module = kind.products.first(where: request.products.contains) {
          if !imports.contains(module) { imports.append(module) }
        } else {
          report(
            [
              Diagnostic(
                .missingKey, "a \(kind.name) needs the product \(kind.products.joined(separator: " or ")) of flowrun",
                at: TextSpan(at: 0), help: "add it to the dependencies of the target")
            ], in: read.source)
        }
        compiled.append((name, bytes))
      }
      if !compiled.isEmpty { result.append((kind, compiled)) }
    }
    return (result, imports)
  }

  private mutating func read(_ file: String, _ files: (String) -> [UInt8]?) -> [UInt8]? {
    guard let bytes = files(file) else {
      messages += "\(file):1:1: error: the file cannot be read\n"
      hasErrors = true
      return nil
    }
    return bytes
  }

  /// Reports the problems in a file. A file that several workflows include is reported once.
  private mutating func report(_ diagnostics: [Diagnostic], in source: SourceText) {
    guard !diagnostics.isEmpty else { return }
    let text = DiagnosticRenderer(source).render(diagnostics)
    if diagnostics.containsError { hasErrors = true }
    if messages.firstRange(of: text) == nil { messages += text }
  }

  private static func name(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  private static func source(
    _ workflows: [(file: String, compiled: CompiledWorkflow)], _ own: [PluginSource], _ parts: [String],
    _ catalog: InterfaceCatalog, _ access: String, imports: [String]
  ) -> String {
    let stems = workflows.map { WorkflowSource.stem(name(of: $0.file)) }
    let types = SwiftNames.types(stems)
    // The name of a file may start with a capital letter, like that of a type.
    let members = SwiftNames.members(
      stems.map { $0.prefix(1).lowercased() + $0.dropFirst() }, besides: Set(types))
    let sources = workflows.indices.map { index in
      WorkflowSource(
        file: name(of: workflows[index].file), member: members[index], type: types[index],
        compiled: workflows[index].compiled, catalog: catalog, access: access)
    }
    return """
      // Written by FlowrunBuildPlugin from the workflows of the target: change those instead.

      \(imports.map { "import \($0)" }.joined(separator: "\n"))

      /// The workflows of this target.
      \(access)enum Workflows {
      \(SwiftText.indented(sources.map(\.text).joined(separator: "\n"), by: "  "))
      }

      \(events(workflows.map(\.compiled), own, access))
      \((own.map(\.text) + parts).joined(separator: "\n"))
      """
  }

  private static func events(_ workflows: [CompiledWorkflow], _ own: [PluginSource], _ access: String) -> String {
    var names: [String] = []
    var summaries: [String: String] = [:]
    for event in workflows.flatMap(\.graph.workflow.events) {
      if !names.contains(event.name) { names.append(event.name) }
      if summaries[event.name, default: ""].isEmpty { summaries[event.name] = event.summary }
    }
    for event in own.flatMap(\.interface.actions).flatMap(\.events) where !names.contains(event) { names.append(event) }
    // An enumeration with raw values must have at least one case.
    guard !names.isEmpty else { return "" }
    var text =
      "/// The events of the workflows of this target.\n\(access)enum Events: String, EventName, CaseIterable {\n"
    for (name, member) in zip(names, SwiftNames.members(names, besides: SwiftNames.enumerationMembers)) {
      text += SwiftText.comment(summaries[name] ?? "", indent: "  ")
      text += "  case \(member) = \(SwiftText.literal(name))\n"
    }
    return text + "}\n"
  }
}
