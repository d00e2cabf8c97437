/// A workflow that cannot be read or run; the description is printed as it is.
package struct InvalidWorkflow: Error, CustomStringConvertible {
  package let description: String
  /// A workflow of which this is said.
  package init(description: String) { self.description = description }
}
