/// A workflow that cannot be read or run; the description is printed as it is.
struct InvalidWorkflow: Error, CustomStringConvertible {
  let description: String
}
