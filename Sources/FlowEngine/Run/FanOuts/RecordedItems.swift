import FlowModel

/// The key and the value of a step's item in a recorded run.
package struct RecordedItem: Sendable {
  /// The key of the item, or nil if the items come from a list.
  package let key: String?
  /// The value of the item, or its path if it is a file.
  package let value: Value
}

extension RunStage {
  /// Returns the items of a step in a recorded run, by index. Their values are evaluated again from the recorded inputs
  /// and outputs.
  ///
  /// The journal contains only a hash of each item. Items with a different hash are omitted, because their values have
  /// changed: a file was removed, or the value depended on a secret or on something outside the run.
  ///
  /// - Parameter folder: The folder of the workflow.
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
      // The indices may have changed, because files were added or removed.
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
