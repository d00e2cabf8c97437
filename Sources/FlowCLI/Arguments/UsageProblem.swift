/// A call that cannot be understood: exit 64.
struct UsageProblem: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
