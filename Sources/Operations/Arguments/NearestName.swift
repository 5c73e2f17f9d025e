// "Did you mean …?": the known name nearest to a mistyped one.

/// Suggestions for mistyped names.
package enum NearestName {
  /// The candidate with the fewest typing mistakes (a letter too many, missing, wrong, or two swapped); nil when even
  /// that one is further off than a third of its length. Ties go to the first in alphabetical order.
  package static func of(_ name: String, among candidates: [String]) -> String? {
    var best: (name: String, distance: Int)?
    for candidate in candidates.sorted() {
      let distance = distance(Array(name), Array(candidate))
      if distance <= max(1, candidate.count / 3), distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.name
  }

  /// `; did you mean X?`, or nothing.
  package static func hint(_ name: String, among candidates: [String], prefix: String = "") -> String {
    of(name, among: candidates).map { "; did you mean \(prefix)\($0)?" } ?? ""
  }

  /// Optimal string alignment distance.
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var before: [Int] = []
    var last = Array(0...right.count)
    for row in 0..<left.count {
      var current = [row + 1]
      for column in 0..<right.count {
        var cost = min(
          last[column + 1] + 1, current[column] + 1, last[column] + (left[row] == right[column] ? 0 : 1))
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          cost = min(cost, before[column - 1] + 1)
        }
        current.append(cost)
      }
      before = last
      last = current
    }
    return last[right.count]
  }
}
