import FlowModel
import FlowPluginKit

/// The limits of a lookup's numbers, checked at validation for literals and by the step for computed values.
enum GeocodeLimits {
  /// The allowed numbers of results.
  static let results = 1...100
  /// The allowed distances: up to half the circumference of the globe.
  static let kilometers = 0.0...20_040.0
  /// The allowed populations, up to more than any city has.
  static let population = 0...100_000_000

  /// Returns the problem with a number of results, or nil.
  static func problem(limit: Int) -> String? {
    results.contains(limit) ? nil : "\(limit) results; expected \(results.lowerBound) … \(results.upperBound)"
  }

  /// Returns the problem with a distance, or nil.
  static func problem(kilometers: Double) -> String? {
    // Not `contains`, which assumes ordered bounds even for NaN.
    kilometers >= Self.kilometers.lowerBound && kilometers <= Self.kilometers.upperBound
      ? nil : "\(kilometers) is not a distance; expected 0 … \(Int(Self.kilometers.upperBound)) kilometers"
  }

  /// Returns the problem with a population, or nil.
  static func problem(population: Int) -> String? {
    Self.population.contains(population)
      ? nil
      : "\(population) is not a population; expected \(Self.population.lowerBound) … \(Self.population.upperBound)"
  }

  /// Returns the problems of literal inputs.
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

  /// Throws `out-of-range` if there is a problem.
  static func require(_ name: String, _ problem: String?) throws(GeocodeError) {
    if let problem { throw .outOfRange("\(name): \(problem)") }
  }
}
