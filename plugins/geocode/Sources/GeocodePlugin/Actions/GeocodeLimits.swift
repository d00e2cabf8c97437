import FlowModel
import FlowPluginKit

/// The allowed numbers of a lookup: checked by validation where they are literals, and by the step where they are
/// computed.
enum GeocodeLimits {
  /// Most results of one search.
  static let results = 1...100
  /// Half the way round the globe, beyond which nothing is farther away.
  static let kilometers = 0.0...20_040.0
  /// No city has as many inhabitants.
  static let population = 0...100_000_000

  /// What is wrong with a number of results, or nil.
  static func problem(limit: Int) -> String? {
    results.contains(limit) ? nil : "\(limit) results; expected \(results.lowerBound) … \(results.upperBound)"
  }

  /// What is wrong with a distance, or nil.
  static func problem(kilometers: Double) -> String? {
    // Not `contains`, which takes the bounds' order for granted where the number is none.
    kilometers >= Self.kilometers.lowerBound && kilometers <= Self.kilometers.upperBound
      ? nil : "\(kilometers) is not a distance; expected 0 … \(Int(Self.kilometers.upperBound)) kilometers"
  }

  /// What is wrong with a number of inhabitants, or nil.
  static func problem(population: Int) -> String? {
    Self.population.contains(population)
      ? nil
      : "\(population) is not a population; expected \(Self.population.lowerBound) … \(Self.population.upperBound)"
  }

  /// The problems of the inputs that are literals.
  static func problems(_ input: LiteralInput) -> [InputProblem] {
    var problems: [InputProblem] = []
    func add(_ name: String, _ problem: String?) { if let problem { problems.append(InputProblem(name, problem)) } }
    add("limit", input["limit"]?.integerValue.flatMap { problem(limit: $0) })
    add(
      "maximum-distance-kilometers",
      input["maximum-distance-kilometers"]?.numberValue.flatMap { problem(kilometers: $0) })
    add("minimum-population", input["minimum-population"]?.integerValue.flatMap { problem(population: $0) })
    return problems
  }

  /// Throws `out-of-range` where a number is none that a lookup takes.
  static func require(_ name: String, _ problem: String?) throws(GeocodeError) {
    if let problem { throw .outOfRange("\(name): \(problem)") }
  }
}
