// `checkout migrate`: makes the journal's tables, or brings them up to date.

import JournalQueue
import Operations
import PostgresAdapter
import SQLiteAdapter

/// Migrates the journal, or says how it stands.
struct MigrateCommand {
  private let context: CommandContext

  init(_ context: CommandContext) {
    self.context = context
  }

  func run() throws(Problem) -> ExitCode {
    let place = try JournalLocation(context.settings)
    let isCheck = context.command.has("check")
    let state = try isCheck ? place.migrationState() : place.migrate()
    if context.isJSON {
      context.output.write(json(place, state, isCheck: isCheck))
    } else {
      context.output.write("\(place): \(words(state, needed: place.schemaVersion, isCheck: isCheck))\n")
    }
    if case .newer(let found) = state {
      throw .environment(
        "\(place): the journal has schema version \(found), this release needs \(place.schemaVersion)",
        remedy: "use the newer release")
    }
    return isCheck && state != .current ? .foundWrong : .ok
  }

  private func words(_ state: MigrationState, needed: Int, isCheck: Bool) -> String {
    switch state {
    case .missing where isCheck: "there is no checkout journal; run: checkout migrate"
    case .missing: "made, schema version \(needed)"
    case .older(let found) where isCheck: "schema version \(found), this release needs \(needed); run: checkout migrate"
    case .older(let found): "brought from schema version \(found) to \(needed)"
    case .current: "up to date, schema version \(needed)"
    case .newer(let found): "left as it is, schema version \(found)"
    }
  }

  private func json(_ place: JournalLocation, _ state: MigrationState, isCheck: Bool) -> String {
    let needed = place.schemaVersion
    let (name, found): (String, Int?) =
      switch state {
      case .missing: ("missing", nil)
      case .older(let version): ("older", version)
      case .current: ("current", needed)
      case .newer(let version): ("newer", version)
      }
    let isChanged = !isCheck && (state == .missing || name == "older")
    let after = isChanged ? "\(needed)" : found.map { "\($0)" } ?? "null"
    return """
      {"journal":\(JSONText.quoted("\(place)")),"before":\(JSONText.quoted(name)),\
      "version":\(after),"needed_version":\(needed),"changed":\(isChanged)}

      """
  }
}

extension JournalLocation: CustomStringConvertible {
  /// For people; there is no secret in it.
  var description: String {
    switch self {
    case .sqlite(let path): "sqlite:\(path)"
    case .postgres(let location): location.description
    }
  }

  /// What this release needs.
  var schemaVersion: Int {
    switch self {
    case .sqlite: SQLiteJournalSchema.version
    case .postgres: PostgresSchema.version
    }
  }

  /// How it stands with the journal; nothing is made.
  func migrationState() throws(Problem) -> MigrationState {
    switch self {
    case .sqlite(let path):
      do throws(DatabaseOpenProblem) {
        return try SQLiteJournalSchema.state(path: path)
      } catch {
        throw .environment("journal \(error.description)")
      }
    case .postgres(let location):
      do throws(JournalOpenProblem) {
        return try PostgresSchema.state(at: location)
      } catch {
        throw .environment("journal \(error.description)")
      }
    }
  }

  /// Makes the journal, or brings it up to date; the answer is what there was before.
  func migrate() throws(Problem) -> MigrationState {
    switch self {
    case .sqlite(let path):
      do throws(DatabaseOpenProblem) {
        return try SQLiteJournalSchema.migrate(path: path)
      } catch {
        throw .environment("journal \(error.description)")
      }
    case .postgres(let location):
      do throws(JournalOpenProblem) {
        return try PostgresSchema.migrate(location)
      } catch {
        throw .environment("journal \(error.description)")
      }
    }
  }
}
