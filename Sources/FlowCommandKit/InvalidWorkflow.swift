/// An error for a workflow that cannot be read or run. Its description is printed unchanged.
package struct InvalidWorkflow: Error, CustomStringConvertible {
  package let description: String
  package init(description: String) { self.description = description }
}
