// What a server must be like before anything is trusted to it.

/// The journal on this server cannot be used; what to do is in the description.
package struct JournalOpenProblem: Error, Hashable, CustomStringConvertible {
  /// True: it may pass by itself, as a server that is starting.
  let mayPass: Bool
  /// One line for a person: what is wrong and what to do.
  package let description: String

  init(mayPass: Bool = false, _ description: String) {
    self.mayPass = mayPass
    self.description = description
  }

  /// The problem of a call on the server at `location`.
  init(_ problem: PostgresProblem, at location: PostgresLocation) {
    self.init(mayPass: problem.kind != .refused, "\(location): \(problem)")
  }
}

extension PostgresSession {
  /// A new session at `location`.
  static func opened(
    _ location: PostgresLocation, isAbandoned: @escaping () -> Bool
  ) throws(JournalOpenProblem) -> PostgresSession {
    do throws(PostgresProblem) {
      return try PostgresSession(location, isAbandoned: isAbandoned)
    } catch {
      throw JournalOpenProblem(error, at: location)
    }
  }
}

/// Facts about a server and the journal in it.
struct ServerCheck {
  /// The oldest server that was tried.
  private static let oldestVersion: Int64 = 130_000

  /// What a session of ours runs with. A server-side time-out ends what a lost client has left; `lock_timeout` and
  /// `statement_timeout` lead to a repeat, never to an answer.
  private static let sessionSettings = [
    "SET client_min_messages = error",
    "SET lock_timeout = '5s'",
    "SET statement_timeout = '20s'",
    "SET idle_in_transaction_session_timeout = '10s'",
    "SET default_transaction_isolation = 'read committed'",
    "SET default_transaction_deferrable = off",
    // The forced plan: from `unnest`, the planner would join small tables by hash and scan them whole.
    "SET plan_cache_mode = force_generic_plan",
    "SET enable_hashjoin = off",
    "SET enable_mergejoin = off",
    "SET enable_seqscan = off",
    "SET enable_bitmapscan = off",
    "SET jit = off",
    "SET max_parallel_workers_per_gather = 0",
  ]

  private static let facts = """
    SELECT current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit'), \
    current_setting('server_version_num')::int8, current_setting('server_encoding'), \
    pg_is_in_recovery() OR current_setting('transaction_read_only')::bool, to_regclass('checkout_meta') IS NOT NULL
    """

  /// Sets the session up and checks the server. True: there is a journal, of whatever version.
  static func prepare(_ session: PostgresSession, at location: PostgresLocation) throws(JournalOpenProblem) -> Bool {
    do throws(PostgresProblem) {
      try session.run(sql: sessionSettings)
      guard let row = try session.run(sql: [facts]).first, row.count == 1 else {
        throw PostgresProblem(kind: .outage, state: "", message: "the server tells nothing about itself")
      }
      if let fault = fault(of: row) { throw PostgresProblem(kind: .refused, state: "", message: fault) }
      return row.flag(0, 6)
    } catch {
      throw JournalOpenProblem(error, at: location)
    }
  }

  /// True if there is a journal, of whatever version.
  static func exists(_ session: PostgresSession, at location: PostgresLocation) throws(JournalOpenProblem) -> Bool {
    do throws(PostgresProblem) {
      return try session.run(sql: ["SELECT to_regclass('checkout_meta') IS NOT NULL"]).first?.flag(0, 0) ?? false
    } catch {
      throw JournalOpenProblem(error, at: location)
    }
  }

  private static func fault(of row: PostgresResult) -> String? {
    if row.integer(0, 3) ?? 0 < oldestVersion {
      return "the server is too old (server_version_num \(row.integer(0, 3) ?? 0)); PostgreSQL 13 or newer is needed"
    }
    if row.flag(0, 5) {
      return
        "the server is read-only (a standby, or default_transaction_read_only); name the primary, or all hosts of the "
        + "cluster: postgres://host1,host2/…"
    }
    for (column, name) in [(Int32(0), "fsync"), (1, "full_page_writes"), (2, "synchronous_commit")] {
      guard row.text(0, column) == "off" else { continue }
      return
        "\(name) is off on this server: what it acknowledges would be lost in a crash, and a checkout charged twice; "
        + "set \(name) = on" + (name == "synchronous_commit" ? " (for this role or database too)" : " and reload it")
    }
    if row.text(0, 4) != "UTF8" {
      return "the database's encoding is \(row.text(0, 4) ?? "unknown"); make one with ENCODING 'UTF8'"
    }
    return nil
  }
}
