import FlowModel

extension GraphDrawing {
  /// The graph in Mermaid's language. Steps of an included file are in a box.
  var mermaid: String {
    var text = "flowchart TD\n" + mermaid(of: 0, indent: "  ")
    if showsGate { text += "  gate{{\"\(Self.escaped(gateLabel))\"}}\n" }
    for (number, event) in events.enumerated() { text += "  e\(number)([\"\(Self.escaped(event))\"])\n" }
    for (index, step) in steps {
      for need in step.needs { text += "  s\(need) --> s\(index)\n" }
    }
    for index in lastBefore where showsGate { text += "  s\(index) ==> gate\n" }
    for index in firstAfter where showsGate { text += "  gate -.-> s\(index)\n" }
    let numbers = Dictionary(uniqueKeysWithValues: events.enumerated().map { ($1, $0) })
    for (index, step) in steps {
      for event in step.options.events { text += "  e\(numbers[event]!) -.-> s\(index)\n" }
    }
    for (number, file) in files.enumerated() {
      text += "  f\(number)[/\"\(Self.escaped(file.text))\"/]\n"
      for maker in file.makers { text += "  s\(maker) -.-> f\(number)\n" }
      for reader in file.readers { text += "  f\(number) -.-> s\(reader)\n" }
    }
    text += "  classDef blocking stroke-width:3px\n"
    text += "  classDef deferred stroke-dasharray:5 5\n"
    text += "  classDef disabled opacity:0.4\n"
    return text
  }

  private func mermaid(of box: Int, indent: String) -> String {
    var text = ""
    for index in boxes.all[box].steps {
      let step = graph.workflow.steps[index]
      let label = ([step.id.text, step.uses] + notes(of: index)).map(Self.escaped).joined(separator: "<br/>")
      let isDisabled = step.options.isDisabled
      let style = isDisabled ? ":::disabled" : isAfterGate(index) ? ":::deferred" : blocks[index] ? ":::blocking" : ""
      text += "\(indent)s\(index)[\"\(label)\"]\(style)\n"
    }
    for inner in boxes.all[box].boxes {
      text += "\(indent)subgraph b\(inner)[\"\(Self.escaped(boxes.all[inner].name))\"]\n"
      text += mermaid(of: inner, indent: indent + "  ") + "\(indent)end\n"
    }
    return text
  }

  /// Escapes text for a quoted label, using Mermaid's character references such as `#quot;`.
  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "\"": result += "#quot;"
      case "#": result += "#35;"
      case "<": result += "#lt;"
      case ">": result += "#gt;"
      case "&": result += "#amp;"
      case "\n": result += " "
      default: result.append(character)
      }
    }
  }
}
