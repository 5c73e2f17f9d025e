// Addresses: what libpq takes, without a secret.

import Operations
import Testing

@testable import PostgresAdapter

@Suite struct PostgresLocationTests {
  private static func problem(_ address: String) -> Problem? {
    do throws(Problem) {
      _ = try PostgresLocation(address)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "a secret in the address is refused (exit 2) and never repeated",
    arguments: [
      "postgres://user:hunter2@db/checkout", "postgresql://db/checkout?user=u&password=hunter2",
      "postgres://db/checkout?sslkey=k&sslpassword=hunter2",
    ])
  func secrets(address: String) throws {
    let problem = try #require(Self.problem(address))
    #expect(problem.exitCode == .usage)
    #expect(problem.what.contains("which `ps` and logs would show"))
    #expect(!problem.description.contains("hunter2"))
    #expect(!PostgresLocation.masked(address).contains("hunter2"))
  }

  @Test("what is no address is refused without repeating it: there may be a password in it")
  func nonsense() throws {
    for address in ["postgres://user:hunter2@db:port:/x", "postgres://db/x?no_such_word=hunter2"] {
      let problem = try #require(Self.problem(address))
      #expect(problem.exitCode == .usage)
      #expect(!problem.description.contains("hunter2"))
      #expect(PostgresLocation.masked(address) == "postgres://(hidden: it holds a secret, or is no address)")
    }
  }

  @Test("what the address says wins over our defaults; several hosts ask for the one that takes writes")
  func defaults() throws {
    let one = try PostgresLocation("postgres://u@db:5433/checkout?tcp_user_timeout=900&sslmode=verify-full")
    let words = Dictionary(uniqueKeysWithValues: one.options.map { ($0.keyword, $0.value) })
    #expect(words["host"] == "db")
    #expect(words["port"] == "5433")
    #expect(words["dbname"] == "checkout")
    #expect(words["sslmode"] == "verify-full")
    #expect(words["tcp_user_timeout"] == "900")
    #expect(words["connect_timeout"] == "5")
    #expect(words["target_session_attrs"] == nil)
    let several = try PostgresLocation("postgresql://u@db1,db2/checkout")
    #expect(several.options.contains { $0.keyword == "target_session_attrs" && $0.value == "read-write" })
    #expect(several.hosts.map { $0.first { $0.keyword == "host" }?.value } == ["db1", "db2"])
    let ports = try PostgresLocation("postgres://db1:5433,db2:5434/checkout").hosts
    #expect(ports.map { $0.first { $0.keyword == "port" }?.value } == ["5433", "5434"])
    #expect(one.hosts == [one.options])
    #expect(several.description == "postgresql://u@db1,db2/checkout")
    #expect(PostgresLocation.isPostgres("postgres://x") && PostgresLocation.isPostgres("postgresql://x"))
    #expect(!PostgresLocation.isPostgres("sqlite:checkout.db"))
    #expect(PostgresLocation.masked("sqlite:checkout.db") == "sqlite:checkout.db")
  }
}
