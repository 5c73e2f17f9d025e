// Which journal the settings name, and how it is opened, read and brought up to date.

import CheckoutCore
import JournalQueue
import Operations
import PostgresAdapter
import SQLiteAdapter

/// Where the journal is.
enum JournalLocation {
  case sqlite(path: String)
  case postgres(PostgresLocation)

  /// What the settings say. No message repeats an address that may hold a password.
  init(_ settings: Settings) throws(Problem) {
    let text = settings[Setup.journal]
    if PostgresLocation.isPostgres(text) {
      self = .postgres(try PostgresLocation(text))
    } else if text.hasPrefix("sqlite:"), text.count > "sqlite:".count {
      self = .sqlite(path: String(text.dropFirst("sqlite:".count)))
    } else {
      throw .usage(
        "journal.location = \"\(text)\" (from \(settings.origin(of: Setup.journal))): must be sqlite:PATH or "
          + "postgres://…",
        remedy: "use --journal sqlite:checkout.db or --journal postgres://user@host/database")
    }
  }

  /// Opens the journal for workers; a missing SQLite file is made, a missing PostgreSQL journal is not.
  func open(_ context: CommandContext) throws(Problem) -> any HostedJournal {
    let clock = context.clock
    let time = JournalTimeSource(
      wall: { Timestamp(nanoseconds: clock.wallNanoseconds()) },
      boot: { BootTime(nanoseconds: clock.bootNanoseconds()) })
    switch self {
    case .sqlite(let path):
      do throws(DatabaseOpenProblem) {
        return try SQLiteJournal(path: path, missing: .create, time: time)
      } catch {
        throw .environment("journal \(path): \(error.description)", remedy: "check --journal")
      }
    case .postgres(let location):
      do throws(JournalOpenProblem) {
        // The server's own clock counts, unless the clock was set to dated samples.
        let isDated = context.settings[Setup.clockStart] != nil
        return try PostgresJournal(location, time: isDated ? time : nil)
      } catch {
        throw .environment("journal \(error.description)")
      }
    }
  }

  /// Opens the journal for looking. It must exist: a command that looks must not make one.
  func openForReading(_ context: CommandContext) throws(Problem) -> any JournalReader {
    let clock = context.clock
    switch self {
    case .sqlite(let path):
      do throws(DatabaseOpenProblem) {
        return try SQLiteJournalReader(path: path) { Timestamp(nanoseconds: clock.wallNanoseconds()) }
      } catch {
        throw .environment("journal \(path): \(error.description)", remedy: "check --journal")
      }
    case .postgres(let location):
      do throws(JournalOpenProblem) {
        return try PostgresJournalReader(location)
      } catch {
        throw .environment("journal \(error.description)")
      }
    }
  }
}
