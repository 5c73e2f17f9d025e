// RFC 6901: where in a document a value stands.

/// A path from the root of a document; made into text only when something has to be reported.
package struct JSONPointer: Hashable, Sendable {
  /// The pointer as text; empty for the whole document.
  package private(set) var text: String

  /// The whole document.
  package init() {
    text = ""
  }

  private init(text: String) {
    self.text = text
  }

  /// The member of that name; `~` and `/` in it are escaped.
  package func member(_ name: String) -> JSONPointer {
    var escaped = text + "/"
    for scalar in name.unicodeScalars {
      switch scalar {
      case "~": escaped += "~0"
      case "/": escaped += "~1"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return JSONPointer(text: escaped)
  }

  /// The element at `index`.
  package func element(_ index: Int) -> JSONPointer { JSONPointer(text: text + "/\(index)") }
}
