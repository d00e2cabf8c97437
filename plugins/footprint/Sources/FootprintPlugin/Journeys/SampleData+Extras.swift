import FlowModel

extension SampleData {
  /// The names and contents of the templates for new trips (R6).
  static let templates: [(name: String, value: Value)] = [
    ("weekend", ["title": "A weekend away", "days": 2, "stops": 1, "notes": "One bag, one town"]),
    ("round-trip", ["title": "A round trip", "days": 14, "stops": 6, "notes": "Ends where it began"]),
    ("long-haul", ["title": "A long journey", "days": 30, "stops": 10, "notes": "Several countries, open end"]),
  ]

  /// The weather at the last destinations, one per line: place, degrees Celsius, description.
  static let weather = """
    Mexico City|24|thunder in the afternoon
    Vancouver|17|clouds and sun
    Hanoi|19|drizzle
    Ho Chi Minh City|34|sunny
    Phnom Penh|33|sunny
    Siem Reap|32|sunny
    Vientiane|28|haze
    Luang Prabang|27|morning fog
    Chiang Mai|26|clear
    Cape Town|23|wind
    """
}
