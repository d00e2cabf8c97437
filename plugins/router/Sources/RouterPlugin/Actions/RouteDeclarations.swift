import FlowModel
import FlowPluginKit
import RouterCore

/// The routes and the URL policy declared by a `router.register` step.
struct RouteDeclarations {
  let table: RouteTable

  /// Reads the inputs of the step. Throws all problems at once.
  init(_ inputs: ValueObject) throws(RouteEntryProblems) {
    var problems: [InputProblem] = []
    let policy = Self.policy(inputs, &problems)
    var routes: [Route] = []
    // The index of the entry from which each of the `routes` was read.
    var places: [Int] = []
    for (index, value) in (inputs["routes"]?.arrayValue ?? []).enumerated() {
      switch RouteEntry.read(value, at: "routes[\(index)]") {
      case .success(let route):
        routes.append(route)
        places.append(index)
      case .failure(let failure): problems += failure.problems
      }
    }
    guard let policy else { throw RouteEntryProblems(problems) }
    do throws(RouteProblems) {
      table = try RouteTable(routes, policy: policy)
    } catch {
      let isObject = (inputs["routes"]?.arrayValue ?? []).map { $0.objectValue != nil }
      throw RouteEntryProblems(problems + error.problems.map { Self.problem($0, places, isObject) })
    }
    guard problems.isEmpty else { throw RouteEntryProblems(problems) }
  }

  /// Returns the policy, or nil if no scheme is valid. Invalid schemes and hosts are reported and left out, so that the
  /// routes can still be checked.
  private static func policy(_ inputs: ValueObject, _ problems: inout [InputProblem]) -> URLPolicy? {
    let schemes = inputs["schemes"]?.arrayValue?.compactMap(\.stringValue) ?? []
    let hosts = inputs["hosts"]?.arrayValue?.compactMap(\.stringValue) ?? []
    var goodSchemes = Array(schemes.indices)
    var goodHosts = Array(hosts.indices)
    while true {
      do throws(URLPolicy.PolicyProblem) {
        return try URLPolicy(
          schemes: goodSchemes.map { schemes[$0] }, hosts: goodHosts.map { hosts[$0] },
          plusAsSpace: inputs["plus-as-space"]?.booleanValue ?? false,
          strictSlashes: inputs["strict-slashes"]?.booleanValue ?? false,
          caseSensitiveHost: inputs["case-sensitive-host"]?.booleanValue ?? false,
          fragmentUse: inputs["fragment"]?.stringValue.flatMap(URLPolicy.FragmentUse.init) ?? .text)
      } catch {
        switch error {
        case .noScheme:
          if schemes.isEmpty { problems.append(problem(error, schemes, hosts)) }
          return nil
        case .malformedScheme(let place):
          problems.append(problem(.malformedScheme(index: goodSchemes.remove(at: place)), schemes, hosts))
        case .reservedScheme(let place):
          problems.append(problem(.reservedScheme(index: goodSchemes.remove(at: place)), schemes, hosts))
        case .malformedHost(let place):
          problems.append(problem(.malformedHost(index: goodHosts.remove(at: place)), schemes, hosts))
        }
      }
    }
  }

  private static func problem(
    _ problem: URLPolicy.PolicyProblem, _ schemes: [String], _ hosts: [String]
  ) -> InputProblem {
    switch problem {
    case .noScheme:
      InputProblem("schemes", "there must be at least one scheme", help: "write 'schemes: [app]'")
    case .malformedScheme(let index):
      InputProblem(
        "schemes[\(index)]", "'\(schemes[index])' is not a scheme",
        help: "a scheme is a letter, then letters, digits, '+', '-' and '.', without '://'")
    case .reservedScheme(let index):
      InputProblem(
        "schemes[\(index)]", "the scheme '\(schemes[index])' belongs to the web or the system",
        help: schemes[index].lowercased().hasPrefix("http")
          ? "links of the web are declared by 'hosts'" : "choose a scheme of the application's own")
    case .malformedHost(let index):
      InputProblem(
        "hosts[\(index)]", "'\(hosts[index])' is not a host", help: "write 'example.com' or '*.example.com'")
    }
  }

  private static func problem(_ problem: RouteProblem, _ places: [Int], _ isObject: [Bool]) -> InputProblem {
    func keyPath(_ index: Int) -> String {
      guard index < places.count else { return "routes" }
      return "routes[\(places[index])]" + (isObject[places[index]] ? ".pattern" : "")
    }
    return InputProblem(
      keyPath(problem.index), "\(problem.message) (\(problem.kind.rawValue))", help: problem.help,
      related: problem.relatedIndex.map { .init(keyPath($0), "the other route is declared here") },
      correction: problem.correction)
  }
}
