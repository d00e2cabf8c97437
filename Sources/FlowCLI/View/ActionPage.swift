import FlowDiagnostics
import FlowModel

/// The full description of an action, which `flowrun plugins show` prints.
struct ActionPage {
  let declaration: ActionDeclaration
  let style: TextStyle

  var text: String {
    var text = "\(style.bold(declaration.name))\(declaration.isService ? " (a service)" : "")\n"
    text += "\(TerminalText.visible(declaration.summary))\n"
    text += style.dim(declaration.origin.map { "from \(TerminalText.visible($0))" } ?? "built in") + "\n"
    text += section("Inputs", declaration.inputs.map { ($0.name, described($0)) })
    text += section("Outputs", declaration.outputs.map { ($0.name, described($0, isOutput: true)) } + inheritedOutputs)
    text += section("Events", declaration.events.map { ($0, "") } + inheritedEvents)
    text += section(
      "Resources",
      declaration.requires.map { ($0.name, "required: a step before it provides it") }
        + declaration.provides.map { ($0.name, "provided to the steps after it") })
    if declaration.needsProtectedData {
      text += section("Limits", [("protected data", "cannot run while the device is locked, nor be prewarmed")])
    }
    text += section(
      "Errors", declaration.errors.map { ($0.code, "\($0.summary)\($0.isRetryable ? "" : " (never tried again)")") })
    guard !declaration.example.isEmpty else { return text }
    text += "\n\(style.bold("Example"))\n"
    for line in declaration.example.split(separator: "\n", omittingEmptySubsequences: false) {
      text += line.isEmpty ? "\n" : "  \(line)\n"
    }
    return text
  }

  private var inheritedOutputs: [(String, String)] {
    let inputs = [declaration.outputsFromInput, declaration.outputFieldsFromInput].compactMap(\.self)
    return inputs.map { ("…", "every key given under '\($0)'") }
  }

  private var inheritedEvents: [(String, String)] {
    declaration.eventFromInput.map { [("…", "the event named by '\($0)'")] } ?? []
  }

  private func section(_ title: String, _ rows: [(String, String)]) -> String {
    guard !rows.isEmpty else { return "" }
    let width = rows.map(\.0.count).max() ?? 0
    var text = "\n\(style.bold(title))\n"
    for (name, description) in rows {
      let line = "  \(name.padded(to: width))  \(TerminalText.visible(description))"
      text += line.trimmingSpacesAtEnd + "\n"
    }
    return text
  }

  private func described(_ field: FieldDeclaration, isOutput: Bool = false) -> String {
    var words = [Self.described(field.type)]
    if let value = field.defaultValue {
      words.append("default \(JSONText.write(value))")
    } else if !isOutput {
      words.append(field.isRequired ? "required" : "optional")
    }
    return words.joined(separator: ", ") + (field.summary.isEmpty ? "" : " — \(field.summary)")
  }

  private static func described(_ type: ValueType) -> String {
    switch type {
    case .path(.data): "path (relative to the data folder)"
    case .path(.file): "path (relative to the workflow's folder)"
    case .array(let element): "array of \(described(element))"
    case .object(let properties?): "object with \(properties.map(\.name).joined(separator: ", "))"
    case .enumeration(let values, _): "one of \(values.map(\.shortText).joined(separator: ", "))"
    default: type.name
    }
  }
}

extension String {
  fileprivate var trimmingSpacesAtEnd: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
