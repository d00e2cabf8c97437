/// An HTML page in a single file that needs no network. Without its script, the page is still readable; the script adds
/// timelines, tooltips, search and sorting.
package struct InsightPage {
  /// The title, already escaped for HTML.
  package let title: String
  /// The parts of the page, by unique name.
  package private(set) var parts: [(name: String, markup: String)] = []

  init(title: String) { self.title = PageText.escaped(title) }

  /// Creates a page that starts with its title and a subtitle.
  init(title: String, subtitle: String) {
    self.init(title: title)
    add("headline", markup: "<header><h1>\(self.title)</h1><p>\(PageText.escaped(subtitle))</p></header>")
  }

  mutating func add(figures: [(name: String, value: String)]) {
    add("figures", markup: Self.figures(figures))
  }

  package static func figures(_ figures: [(name: String, value: String)]) -> String {
    "<dl class=\"figures\">" + figures.map { figure($0.name, $0.value) }.joined() + "</dl>"
  }

  package static func figure(_ name: String, _ value: String) -> String {
    "<div><dt>\(PageText.escaped(name))</dt><dd>\(PageText.escaped(value))</dd></div>"
  }

  /// Returns a list of names and values, one per line. The values of names in `preformatted` are shown as preformatted
  /// text.
  package static func facts(_ facts: [(name: String, value: String)], preformatted: Set<String> = []) -> String {
    guard !facts.isEmpty else { return "" }
    let rows = facts.map { name, value in
      "<div><dt>\(PageText.escaped(name))</dt><dd>\(text(value, of: name, preformatted.contains(name)))</dd></div>"
    }
    return "<dl class=\"facts\">\(rows.joined())</dl>"
  }

  /// The maximum length in bytes of a single-line value that is shown without a scrollable box.
  private static let lineBytes = 1_000

  /// Returns a value as markup. Preformatted, long and multi-line values get a scrollable box.
  private static func text(_ value: String, of name: String, _ isPreformatted: Bool) -> String {
    let lines = PageText.lines(value)
    guard isPreformatted || value.utf8.count > lineBytes || value.contains(where: \.isNewline) else { return lines }
    return
      "<pre class=\"text\" tabindex=\"0\" role=\"region\" aria-label=\"\(PageText.escaped(name))\">\n\(lines)</pre>"
  }

  /// Adds a section with timelines and tables, which has its own search and filters.
  mutating func add(rows heading: String, _ parts: String...) {
    let content = parts.joined()
    guard !content.isEmpty else { return }
    add(heading, markup: "<section data-rows><h2>\(PageText.escaped(heading))</h2>\(content)</section>")
  }

  /// Adds a section with a heading, unless its content is empty.
  mutating func add(_ heading: String, _ parts: String...) {
    let content = parts.joined()
    guard !content.isEmpty else { return }
    add(heading, markup: "<section><h2>\(PageText.escaped(heading))</h2>\(content)</section>")
  }

  /// Adds a section whose markup includes its heading, unless it is empty.
  mutating func add(_ name: String, markup: String) { if !markup.isEmpty { parts.append((name, markup)) } }

  package static func list(_ sentences: [String]) -> String {
    sentences.isEmpty ? "" : "<ul>" + sentences.map { "<li>\(PageText.lines($0))</li>" }.joined() + "</ul>"
  }

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
