import FlowModel

/// A map from names to indices. Names are compared byte by byte.
///
/// Up to 12 names are searched linearly; more are stored in a dictionary. Most workflows have few actions, queues and
/// events. A process's first dictionary with string keys takes longer than reading such a workflow, because the runtime
/// creates its type and checks every conformance of the program for it.
struct NameIndices: Sendable {
  private var few: [NamedIndex] = []
  /// All names, once there are more than ``comparisonLimit``.
  private var many: [ByteName: Int32] = [:]

  /// A struct instead of a tuple: for tuples, the runtime would create the array's type each time the process starts.
  private struct NamedIndex {
    var name: String
    var index: Int32
  }

  private static let comparisonLimit = 12

  /// The index of a name, or nil if the name is not in the map.
  subscript(name: String) -> Int32? {
    get { many.isEmpty ? few.first { $0.name.hasSameBytes(as: name) }?.index : many[ByteName(name)] }
    set {
      if many.isEmpty {
        few.removeAll { $0.name.hasSameBytes(as: name) }
        if let newValue { few.append(NamedIndex(name: name, index: newValue)) }
        if few.count <= Self.comparisonLimit { return }
        for entry in few { many[ByteName(entry.name)] = entry.index }
        few = []
      } else {
        many[ByteName(name)] = newValue
      }
    }
  }
}
