import FlowPlugin

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The inputs of a step, which are under its `with`.
struct AgendaInput: Decodable, Sendable {
  struct Event: Decodable, Sendable {
    var title: String
    var start: String
    var end: String?
    var location: String?

    /// The date without the time.
    var day: String { String(start.prefix(10)) }
    /// The time such as `09:30`, or nil if the event has none.
    var time: String? { start.count > 11 ? String(start.dropFirst(11).prefix(5)) : nil }
  }

  var title: String
  var events: [Event]
  var file: String
}

/// The outputs of a step, which other steps read as `outputs`.
struct AgendaOutput: Encodable, Sendable {
  var file: String
  var days: Int
  var bytes: Int
}

/// True if the text has the form of a date such as `2026-05-01`.
func isDate(_ text: String) -> Bool {
  let parts = text.split(separator: "-", omittingEmptySubsequences: false)
  guard parts.count == 3, parts.map(\.count) == [4, 2, 2], parts.allSatisfy({ $0.allSatisfy(\.isNumber) }),
    let month = Int(parts[1]), let day = Int(parts[2])
  else { return false }
  return (1...12).contains(month) && (1...31).contains(day)
}

/// Returns a text in which characters that Markdown would interpret are escaped, and line breaks are spaces.
func escaped(_ text: String) -> String {
  var escaped = ""
  for character in text {
    if "\\`*_[]<>#|".contains(character) { escaped.append("\\") }
    escaped.append(character.isNewline ? " " : character)
  }
  return escaped
}

func markdown(_ input: AgendaInput) -> String {
  var text = "# \(escaped(input.title))\n"
  for day in Set(input.events.map(\.day)).sorted() {
    text += "\n## \(day)\n\n"
    for event in input.events.filter({ $0.day == day }).sorted(by: { $0.start < $1.start }) {
      text += "- \(event.time.map { "\($0) " } ?? "")**\(escaped(event.title))**"
      text += (event.location.flatMap { $0.isEmpty ? nil : ", \(escaped($0))" } ?? "") + "\n"
    }
  }
  return text
}

var plugin = PluginProgram()

plugin.action("agenda.write") { (input: AgendaInput, call) in
  for event in input.events where !isDate(event.day) {
    throw PluginError("not-a-date", "'\(event.title)' starts on '\(event.start)'; write 2026-05-01 or 2026-05-01T09:30")
  }
  let text = Data(markdown(input).utf8)
  do {
    try text.write(to: URL(filePath: input.file), options: .atomic)
  } catch {
    throw PluginError("cannot-write", "'\(input.file)' cannot be written: \(error)", isRetryable: true)
  }
  call.log("wrote \(input.events.count) events to \(input.file)")
  return AgendaOutput(file: input.file, days: Set(input.events.map(\.day)).count, bytes: text.count)
}

plugin.serve()
