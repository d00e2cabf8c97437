/// An error in the arguments. The exit code is 64.
package struct UsageProblem: Error, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}
