#if Network
  import FlowCLI
  import FlowEngine
  import FlowInsight
  import FlowModel

  /// Creates the form for starting a run.
  ///
  /// The script sends only values that the person has changed, so an unchanged form is equivalent to `flowrun FILE`.
  enum UIForm {
    private static func escaped(_ text: String) -> String { PageText.escaped(text) }

    /// Returns the form of a workflow as HTML, or the reason why it cannot be started.
    static func html(_ form: RunLibrary.Form, _ file: RunLibrary.WorkflowFile) -> String {
      let html = "<section id=\"start\"><h2>Run</h2>"
      if !form.problem.isEmpty {
        return html
          + "<pre class=\"problem\" tabindex=\"0\" role=\"region\" aria-label=\"Why it cannot be started\">\(PageText.lines(form.problem))</pre></section>"
      }
      guard let workflow = form.workflow else { return "" }
      let home = RunLibrary.environment["HOME"].map { " data-home=\"\(PageText.value($0))\"" } ?? ""
      let fields = form.fields.enumerated().map { row($1, "input-\($0)") }.joined()
      return html
        + "<form data-action=\"run\" data-file=\"\(PageText.value(file.name))\" data-folder=\"\(PageText.value(form.folder))\"\(home) autocomplete=\"off\">"
        + fields + (GateRule.hasGate(workflow) ? launch(form.launch) : "")
        + "<p class=\"tools\"><button>Run</button></p></form></section>"
    }

    private static func launch(_ filled: LaunchReason?) -> String {
      let options = LaunchReason.allCases.map { "<option>\($0.rawValue)</option>" }.joined()
      let fill = filled.map { " data-fill=\"\($0.rawValue)\"" } ?? ""
      return
        "<p><label for=\"launch\">Launch reason</label> <select id=\"launch\" data-launch\(fill)>\(options)</select></p>"
    }

    private static func row(_ field: RunLibrary.Field, _ id: String) -> String {
      let declaration = field.declaration
      let name = PageText.value(declaration.name)
      let attributes = "id=\"\(id)\" name=\"\(name)\" data-input aria-describedby=\"\(id)-about \(id)-refusal\""
      let type = declaration.type.name + (declaration.isSecret ? ", secret" : "")
      let about = declaration.summary.isEmpty ? type : "\(type); \(declaration.summary)"
      var html = "<div class=\"field\" data-field=\"\(name)\"\(state(of: field))>"
      html += "<label for=\"\(id)\">\(escaped(declaration.name))</label> \(control(field, attributes)) "
      html += choices(field, id)
      html += "<small class=\"text\" id=\"\(id)-about\">\(PageText.lines(about))</small>"
      if case .path = declaration.type {
        html +=
          "<small class=\"path\" data-path role=\"status\">\(PageText.lines(field.path.map { "→ \($0)" } ?? ""))</small>"
      }
      return html + "<p class=\"refusal\" id=\"\(id)-refusal\" hidden></p></div>"
    }

    /// Returns attributes that the script needs: the path of a field's default, and the initial value of the field.
    private static func state(of field: RunLibrary.Field) -> String {
      (field.path.map { " data-resolved=\"\(PageText.value($0))\"" } ?? "")
        + (field.filled.map { " data-fill=\"\(PageText.value($0))\"" } ?? "")
    }

    private static func control(_ field: RunLibrary.Field, _ attributes: String) -> String {
      let (declaration, given) = (field.declaration, field.given ?? "")
      switch declaration.type {
      case _ where declaration.isSecret: return "<input type=\"password\" autocomplete=\"off\" \(attributes)>"
      case .boolean: return select(attributes, ["true", "false"], field)
      case .enumeration(let values, _):
        return select(attributes, values.map { $0.stringValue ?? JSONText.write($0) }, field)
      case .integer, .number:
        return "<input inputmode=\"decimal\" value=\"\(PageText.value(given))\" \(attributes)>"
      case .array, .object, .any: return area(given, attributes, rows: 3)
      case .string, .duration, .path:
        let lines = max(given.count(where: \.isNewline), field.filled?.count(where: \.isNewline) ?? 0)
        guard lines == 0 else { return area(given, attributes, rows: min(12, lines + 2)) }
        let holdsLines = declaration.type == .string ? " data-lines" : ""
        return "<input\(holdsLines) value=\"\(PageText.value(given))\" \(attributes)>"
      }
    }

    /// Returns a text area. Its content starts with a line break, because browsers remove the first one.
    private static func area(_ text: String, _ attributes: String, rows: Int) -> String {
      "<textarea rows=\"\(rows)\" \(attributes)>\n\(PageText.value(text))</textarea>"
    }

    /// Returns a list of choices. Each value is stored in an attribute after `=`, because browsers trim the text of an
    /// option.
    private static func select(_ attributes: String, _ values: [String], _ field: RunLibrary.Field) -> String {
      let none = field.declaration.isRequired ? "" : "leave it out"
      let first = field.given == nil ? ["<option value=\"\">\(none)</option>"] : []
      let options = values.map {
        "<option value=\"=\(PageText.value($0))\"\($0 == field.given ? " selected" : "")>\(escaped($0).replacing("  ", with: "\u{A0} "))</option>"
      }
      return "<select \(attributes)>\((first + options).joined())</select>"
    }

    /// Returns the checkboxes next to a control: leave out the value, pass an empty string, or read a file.
    private static func choices(_ field: RunLibrary.Field, _ id: String) -> String {
      let declaration = field.declaration
      func box(_ kind: String, _ text: String, isOn: Bool = false, isHidden: Bool = false) -> String {
        "<label class=\"choice\"\(isHidden ? " hidden" : "")><input type=\"checkbox\" data-\(kind)\(isOn ? " checked" : "") aria-label=\"\(text): \(PageText.value(declaration.name))\">\(text)</label> "
      }
      var html = ""
      switch declaration.type {
      case .boolean, .enumeration: return ""
      case _ where declaration.isSecret: break
      case _ where field.given != nil: html += box("out", "leave it out", isHidden: true)
      case _ where !declaration.isRequired: html += box("out", "leave it out", isOn: true)
      case .string, .any: html += box("empty", "empty text")
      default: break
      }
      switch declaration.type {
      case .string, .array, .object, .any:
        html += box("from", "from a file")
        html += "<input type=\"file\" hidden aria-label=\"File with the value of \(PageText.value(declaration.name))\">"
      default: break
      }
      return html
    }
  }
#endif
