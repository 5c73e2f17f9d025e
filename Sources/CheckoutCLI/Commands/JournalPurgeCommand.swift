// `checkout journal purge`: forgets old bodies and histories.

import CheckoutCore
import JournalQueue
import Operations
import PostgresAdapter
import SQLiteAdapter

/// Purges the journal, or says what a purge would do.
struct JournalPurgeCommand {
  /// The standard age: bodies and steps are kept for 90 days.
  private static let standardAge = "90d"
  /// Kafka's own default for `retention.ms`.
  private static let standardRetention = "7d"
  private static let day: Int64 = 86_400_000_000_000

  private let context: CommandContext

  init(_ context: CommandContext) {
    self.context = context
  }

  func run() throws(Problem) -> ExitCode {
    let place = try JournalLocation(context.settings)
    let age = try span("older-than", standard: Self.standardAge)
    let retention = try span("topic-retention", standard: Self.standardRetention)
    // A message that can still come again must find its attempt.
    guard age - Self.day >= retention else {
      throw .usage(
        "--older-than \(SettingParser.durationText(age)) is less than the topics' retention "
          + "(\(SettingParser.durationText(retention))) and a day: a request that can still be read again would be charged again",
        remedy: "name a longer time; if your topics keep less, say so with --topic-retention")
    }
    let isApplied = context.command.has("apply")
    let report: PurgeReport
    do throws(JournalReadProblem) {
      let journal = try place.purgeable(context)
      report = try JournalPurge(journal).run(
        before: try journal.time() - TimeSpan(nanoseconds: age), isApplied: isApplied)
    } catch {
      throw .environment("journal \(error.description)", remedy: "run it again: it goes on where it stopped")
    }
    context.output.write(context.isJSON ? json(report, isApplied) : text(report, isApplied))
    return .ok
  }

  private func span(_ flag: String, standard: String) throws(Problem) -> Int64 {
    let text = context.command.value(flag) ?? standard
    guard let span = SettingParser.duration(text) else {
      throw .usage("--\(flag) \(text) is not a time", remedy: "write it like 90d or 36h")
    }
    return span
  }

  private func text(_ report: PurgeReport, _ isApplied: Bool) -> String {
    var table = TextTable([("WHAT", .left), ("COUNT", .right)])
    table.add(["attempts, narrow row kept", "\(report.counts.narrowed)"])
    table.add(["attempts removed (no money ever moved)", "\(report.counts.removed)"])
    table.add(["history entries removed", "\(report.counts.historyEntries)"])
    table.add(["old attempts left alone (owed, parked, watched)", "\(report.untouched)"])
    table.add(["bytes of bodies and histories", "\(report.bytes)"])
    let note = isApplied ? "" : "\nNothing was changed; add --apply to do it.\n"
    return table.text(columns: context.output.columns) + note
  }

  private func json(_ report: PurgeReport, _ isApplied: Bool) -> String {
    """
    {"applied":\(isApplied),"narrowed":\(report.counts.narrowed),"removed":\(report.counts.removed),\
    "history_entries":\(report.counts.historyEntries),"untouched":\(report.untouched),"bytes":\(report.bytes)}

    """
  }
}

extension JournalLocation {
  /// The journal as a purge uses it.
  fileprivate func purgeable(_ context: CommandContext) throws(JournalReadProblem) -> any PurgeableJournal {
    let clock = context.clock
    switch self {
    case .sqlite(let path):
      do throws(DatabaseOpenProblem) {
        return try SQLitePurge(path: path) { Timestamp(nanoseconds: clock.wallNanoseconds()) }
      } catch {
        throw JournalReadProblem(description: error.description)
      }
    case .postgres(let location):
      do throws(JournalOpenProblem) {
        return try PostgresPurge(location)
      } catch {
        throw JournalReadProblem(description: error.description)
      }
    }
  }
}
