import FlowModel
import FlowPluginKit

/// The limits of numeric inputs. Literal values are checked during validation, computed values by the step.
enum GeocodeLimits {
  /// The allowed number of results.
  static let results = 1...100
  /// The allowed distances, up to half of the earth's circumference.
  static let kilometers = 0.0...20_040.0
  /// The allowed minimum populations, up to more than any city has.
  static let population = 0...100_000_000

  static func problem(limit: Int) -> String? {
    results.contains(limit) ? nil : "\(limit) results; expected \(results.lowerBound) … \(results.upperBound)"
  }

  static func problem(kilometers: Double) -> String? {
    // Comparisons with a NaN are false, so a NaN is refused.
    kilometers >= Self.kilometers.lowerBound && kilometers <= Self.kilometers.upperBound
      ? nil : "\(kilometers) is not a distance; expected 0 … \(Int(Self.kilometers.upperBound)) kilometers"
  }

  static func problem(population: Int) -> String? {
    Self.population.contains(population)
      ? nil
      : "\(population) is not a population; expected \(Self.population.lowerBound) … \(Self.population.upperBound)"
  }

  /// Returns the problems with the literal inputs of a step.
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

  /// Throws `out-of-range` if `problem` is not nil.
  static func require(_ name: String, _ problem: String?) throws(GeocodeError) {
    if let problem { throw .outOfRange("\(name): \(problem)") }
  }
}
