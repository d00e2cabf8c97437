import FlowModel

/// An item of a step of a recorded run.
package struct RecordedItem: Sendable {
  /// Its key, if the items come from an object.
  package let key: String?
  /// Its value; of a file, its path.
  package let value: Value
}

extension RunStage {
  /// Returns the items of a step of a recorded run by their indices, evaluated again from the recorded inputs and outputs.
  ///
  /// A journal has only a hash of each item. An item whose hash is a different one now is left out, because its value would be
  /// wrong: the file is gone, or a secret or something outside the run decided it.
  ///
  /// - Parameter folder: the folder of the workflow.
  package func items(
    of step: StepIndex, in plan: Plan, as recollection: RunRecollection, folder: String
  ) -> [Int: RecordedItem] {
    guard let fanOut = prepared.detail(of: step)?.fanOut, fanOut.event == nil else { return [:] }
    var recorded: [UInt64] = []
    for case .expanded(step, let hashes, _) in recollection.entries { recorded = hashes }
    guard !recorded.isEmpty, var values = try? fanOut.values(in: scope(step, plan)) else { return [:] }
    var items: [Int: RecordedItem] = [:]
    if fanOut.isOfFiles {
      let patterns = values.indices.compactMap { values[$0].stringValue }
      let number = prepared.graph.workflow.scope(of: step)
      let inner = number.map { prepared.graph.workflow.scopes[$0].folder } ?? ""
      guard let files = try? WorkflowRun.files(patterns, in: inner.isEmpty ? folder : "\(folder)/\(inner)") else {
        return [:]
      }
      values = files
      // A file that came or went since has moved the others.
      let places = Dictionary(zip(values.hashes, values.indices)) { first, _ in first }
      for (index, hash) in recorded.enumerated() {
        guard let path = places[hash].flatMap({ values.path(of: $0) }) else { continue }
        items[index] = RecordedItem(key: nil, value: .string(path))
      }
    } else {
      for (index, hash) in values.hashes.enumerated() where index < recorded.count && recorded[index] == hash {
        items[index] = RecordedItem(key: values.keys?[index], value: values[index])
      }
    }
    return items
  }
}
