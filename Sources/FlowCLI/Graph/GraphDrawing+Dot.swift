import FlowModel

extension GraphDrawing {
  /// The graph in Graphviz's language. The steps of an included file are in a box, and so are steps of the main file
  /// that name the same queue.
  var dot: String {
    var text = "digraph \(Self.quoted(graph.workflow.name)) {\n  rankdir=TB;\n  node [shape=box, style=rounded];\n"
    let byQueue = Dictionary(grouping: boxes.all[0].steps) { graph.workflow.steps[$0].options.queue ?? "" }
    for queue in byQueue.keys.sorted() {
      let indent = queue.isEmpty ? "  " : "    "
      if !queue.isEmpty {
        text += "  subgraph \(Self.quoted("cluster_\(queue)")) {\n    label=\(Self.quoted(queue));\n"
      }
      for index in byQueue[queue]! { text += indent + node(index) + "\n" }
      if !queue.isEmpty { text += "  }\n" }
    }
    for box in boxes.all[0].boxes { text += cluster(box, indent: "  ") }
    if showsGate { text += "  gate [shape=hexagon, style=bold, label=\(Self.quoted(gateLabel))];\n" }
    for event in events {
      text += "  \(Self.quoted("event " + event)) [shape=oval, label=\(Self.quoted(event))];\n"
    }
    for (_, step) in steps {
      for need in step.needs {
        text += "  \(Self.quoted(graph.workflow.steps[Int(need)].id.text)) -> \(Self.quoted(step.id.text));\n"
      }
    }
    for index in lastBefore where showsGate {
      text += "  \(Self.quoted(graph.workflow.steps[index].id.text)) -> gate [style=bold];\n"
    }
    for index in firstAfter where showsGate {
      text += "  gate -> \(Self.quoted(graph.workflow.steps[index].id.text)) [style=dashed];\n"
    }
    for (_, step) in steps {
      for event in step.options.events {
        text += "  \(Self.quoted("event " + event)) -> \(Self.quoted(step.id.text)) [style=dotted];\n"
      }
    }
    for file in files {
      let node = Self.quoted("file " + file.text)
      text += "  \(node) [shape=note, style=solid, label=\(Self.quoted(file.text))];\n"
      for maker in file.makers {
        text += "  \(Self.quoted(graph.workflow.steps[maker].id.text)) -> \(node) [style=dotted];\n"
      }
      for reader in file.readers {
        text += "  \(node) -> \(Self.quoted(graph.workflow.steps[reader].id.text)) [style=dotted];\n"
      }
    }
    return text + "}\n"
  }

  private func cluster(_ box: Int, indent: String) -> String {
    let name = boxes.all[box].name
    var text = "\(indent)subgraph \(Self.quoted("cluster_include_\(name)")) {\n"
    text += "\(indent)  label=\(Self.quoted(name));\n"
    for index in boxes.all[box].steps { text += "\(indent)  \(node(index))\n" }
    for inner in boxes.all[box].boxes { text += cluster(inner, indent: indent + "  ") }
    return text + "\(indent)}\n"
  }

  private func node(_ index: Int) -> String {
    let step = graph.workflow.steps[index]
    let lines = [step.id.text, step.uses] + notes(of: index)
    var style = "rounded"
    if blocks[index] { style += ",bold" }
    if isAfterGate(index) { style += ",dashed" }
    let color = step.options.isDisabled ? ", color=gray, fontcolor=gray" : ""
    return
      "\(Self.quoted(step.id.text)) [label=\(Self.quoted(lines.joined(separator: "\n"))), style=\"\(style)\"\(color)];"
  }

  /// Quotes text as an identifier in Graphviz's language.
  private static func quoted(_ text: String) -> String {
    let inner = text.reduce(into: "") { result, character in
      switch character {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      default: result.append(character)
      }
    }
    return "\"\(inner)\""
  }
}
