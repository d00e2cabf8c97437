/// A page in one file: no network, light and dark, readable without its script, which adds hover, zoom and sorting.
package struct InsightPage {
  /// Its title, as markup.
  package let title: String
  /// Its parts, by names that no other part of the page has.
  package private(set) var parts: [(name: String, markup: String)] = []

  /// A page of this title.
  init(title: String) { self.title = PageText.escaped(title) }

  /// A page that begins with its title and a line below it.
  init(title: String, subtitle: String) {
    self.init(title: title)
    add("headline", markup: "<header><h1>\(self.title)</h1><p>\(PageText.escaped(subtitle))</p></header>")
  }

  /// Figures that are read first.
  mutating func add(figures: [(name: String, value: String)]) {
    add("figures", markup: Self.figures(figures))
  }

  /// Figures next to each other.
  package static func figures(_ figures: [(name: String, value: String)]) -> String {
    "<dl class=\"figures\">" + figures.map { figure($0.name, $0.value) }.joined() + "</dl>"
  }

  /// A figure with what it is of.
  package static func figure(_ name: String, _ value: String) -> String {
    "<div><dt>\(PageText.escaped(name))</dt><dd>\(PageText.escaped(value))</dd></div>"
  }

  /// Names and their values, each on a line; those of the names in `preformatted` as they would be in a file.
  package static func facts(_ facts: [(name: String, value: String)], preformatted: Set<String> = []) -> String {
    guard !facts.isEmpty else { return "" }
    let rows = facts.map { name, value in
      "<div><dt>\(PageText.escaped(name))</dt><dd>\(text(value, of: name, preformatted.contains(name)))</dd></div>"
    }
    return "<dl class=\"facts\">\(rows.joined())</dl>"
  }

  /// A value as it is; one of several lines scrolls by itself.
  private static func text(_ value: String, of name: String, _ isPreformatted: Bool) -> String {
    let lines = PageText.lines(value)
    guard isPreformatted || value.contains(where: \.isNewline) else { return lines }
    return
      "<pre class=\"text\" tabindex=\"0\" role=\"region\" aria-label=\"\(PageText.escaped(name))\">\n\(lines)</pre>"
  }

  /// A part with timelines and tables, which a search and filters of their own narrow down.
  mutating func add(rows heading: String, _ parts: String...) {
    let content = parts.joined()
    guard !content.isEmpty else { return }
    add(heading, markup: "<section data-rows><h2>\(PageText.escaped(heading))</h2>\(content)</section>")
  }

  /// A part of the page; nothing when it is empty.
  mutating func add(_ heading: String, _ parts: String...) {
    let content = parts.joined()
    guard !content.isEmpty else { return }
    add(heading, markup: "<section><h2>\(PageText.escaped(heading))</h2>\(content)</section>")
  }

  /// Markup that has a heading of its own; nothing when it is empty.
  mutating func add(_ name: String, markup: String) { if !markup.isEmpty { parts.append((name, markup)) } }

  /// A list of sentences.
  package static func list(_ sentences: [String]) -> String {
    sentences.isEmpty ? "" : "<ul>" + sentences.map { "<li>\(PageText.lines($0))</li>" }.joined() + "</ul>"
  }

  /// The whole page.
  package var html: String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src \
    'unsafe-inline'; img-src data:">
    <link rel="icon" href="data:,">
    <title>\(title)</title>
    <style>\(Self.style)</style>
    </head>
    <body>
    <main>\(parts.map(\.markup).joined())</main>
    <div id="tip" role="status" hidden></div>
    <script>\(Self.script)</script>
    </body>
    </html>

    """
  }
}
