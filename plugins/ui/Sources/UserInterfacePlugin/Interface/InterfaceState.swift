import FlowModel
import FlowPluginKit

/// The state of an interface that is saved for the next launch.
public struct InterfaceState: Sendable, Hashable {
  /// The selected tab, or nil if none has been selected.
  public var tab: String?
  /// The pages over the tab, the visible one last.
  public var pages: [PageRequest]

  /// The maximum number of pages. If there are more, the oldest ones are dropped.
  public static let pageLimit = 100

  /// Creates a state. By default, it has no selected tab and no pages.
  public init(tab: String? = nil, pages: [PageRequest] = []) {
    self.tab = tab
    self.pages = pages
  }

  /// Adds a page over the others. Drops the oldest page if there are too many.
  public mutating func open(_ page: PageRequest) {
    pages.append(page)
    if pages.count > Self.pageLimit { pages.removeFirst(pages.count - Self.pageLimit) }
  }

  /// The state as it is saved, without pages and parameters that must not be saved.
  public var value: Value {
    [
      "tab": tab.map(Value.string) ?? .null,
      "pages": .array(pages.compactMap { page in (page.saved?.value).map(Value.object) }),
    ]
  }

  /// Creates a state from its saved form. Returns nil if the value is invalid.
  public init?(_ value: Value) {
    guard case .object(let members) = value, let saved = members["pages"]?.arrayValue else { return nil }
    tab = members["tab"]?.stringValue
    pages = []
    for entry in saved {
      guard let page = entry.objectValue, let name = page["page"]?.stringValue,
        let presentation = page["presentation"].flatMap(PageRequest.Presentation.init),
        let parameters = page["parameters"]?.objectValue
      else { return nil }
      open(PageRequest(page: name, presentation: presentation, parameters: parameters))
    }
  }
}

extension PageRequest {
  /// The page as it is saved.
  var value: ValueObject {
    ["page": .string(page), "presentation": presentation.value, "parameters": .object(parameters)]
  }
}
