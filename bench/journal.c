// The journal's writes in C: the same tables, statements and settings as SQLiteAdapter, texts of the same length ready
// made, no queue and no encoding. What SQLite itself costs, for `checkout-bench journal` to stand beside.
//
// journal PATH BATCH COUNT DETAILS BIRTH STEPS    prints transitions, wall seconds and CPU seconds of the writes
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static sqlite3 *database;

static void fail(const char *what) {
  fprintf(stderr, "journal: %s: %s\n", what, sqlite3_errmsg(database));
  exit(1);
}

static void execute(const char *sql) {
  if (sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK) fail(sql);
}

static sqlite3_stmt *prepare(const char *sql) {
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) != SQLITE_OK) fail(sql);
  return statement;
}

static void run(sqlite3_stmt *statement) {
  if (sqlite3_step(statement) != SQLITE_DONE) fail("step");
  sqlite3_reset(statement);
}

static void text(sqlite3_stmt *statement, int index, const char *bytes, int count) {
  sqlite3_bind_text(statement, index, bytes, count, SQLITE_STATIC);
}

static double seconds(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int count, char **arguments) {
  if (count != 7) {
    fprintf(stderr, "usage: journal PATH BATCH COUNT DETAILS BIRTH STEPS\n");
    return 2;
  }
  const int batch = atoi(arguments[2]), details = atoi(arguments[4]), birth = atoi(arguments[5]),
            steps = atoi(arguments[6]);
  const long wanted = atol(arguments[3]);
  static char filling[16384];
  memset(filling, 'x', sizeof filling);
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  if (sqlite3_open_v2(arguments[1], &database,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
    fail("open");
  execute("PRAGMA page_size=8192; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA temp_store=MEMORY;"
          "PRAGMA cache_size=-65536; PRAGMA wal_autocheckpoint=4000");
  execute("CREATE TABLE attempts (id INTEGER PRIMARY KEY, merchant_id TEXT NOT NULL, idempotency_key TEXT NOT NULL,"
          " checkout_id TEXT NOT NULL, version INTEGER NOT NULL, epoch INTEGER NOT NULL, owner TEXT, parked TEXT,"
          " blocks INTEGER NOT NULL, ended INTEGER NOT NULL, watch_at INTEGER, updated_at INTEGER NOT NULL,"
          " details TEXT NOT NULL);"
          "CREATE UNIQUE INDEX attempts_key ON attempts (merchant_id, idempotency_key);"
          "CREATE UNIQUE INDEX attempts_blocking ON attempts (merchant_id, checkout_id) WHERE blocks = 1;"
          "CREATE INDEX attempts_closed ON attempts (merchant_id, checkout_id) WHERE blocks = 0;"
          "CREATE INDEX attempts_open ON attempts (ended) WHERE ended = 0;"
          "CREATE INDEX attempts_watched ON attempts (watch_at) WHERE watch_at IS NOT NULL;"
          "CREATE TABLE births (attempt INTEGER PRIMARY KEY, created_at INTEGER NOT NULL, body TEXT NOT NULL);"
          "CREATE TABLE steps (id INTEGER PRIMARY KEY, attempt INTEGER NOT NULL, version INTEGER NOT NULL,"
          " at INTEGER NOT NULL, write_id TEXT NOT NULL, steps TEXT NOT NULL);"
          "CREATE INDEX steps_attempt ON steps (attempt, version)");
  sqlite3_stmt *begin = prepare("BEGIN IMMEDIATE"), *commit = prepare("COMMIT");
  sqlite3_stmt *insert = prepare(
      "INSERT INTO attempts (version, epoch, owner, parked, updated_at, details, blocks, ended, watch_at, merchant_id,"
      " idempotency_key, checkout_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"
      " ON CONFLICT DO NOTHING");
  sqlite3_stmt *insertBirth = prepare("INSERT INTO births (attempt, created_at, body) VALUES (?1, ?2, ?3)");
  sqlite3_stmt *insertStep = prepare("INSERT INTO steps (attempt, version, at, write_id, steps) VALUES (?1, ?2, ?3, ?4, ?5)");
  sqlite3_stmt *place = prepare(
      "SELECT id, version, epoch, blocks, ended, watch_at FROM attempts WHERE merchant_id = ?1 AND idempotency_key = ?2");
  sqlite3_stmt *update = prepare("UPDATE attempts SET version = ?1, epoch = ?2, owner = ?3, parked = ?4, updated_at = ?5,"
                                 " details = ?6 WHERE id = ?10");
  sqlite3_stmt *end = prepare("UPDATE attempts SET version = ?1, epoch = ?2, owner = ?3, parked = ?4, updated_at = ?5,"
                              " details = ?6, blocks = ?7, ended = ?8, watch_at = ?9 WHERE id = ?10");
  const long long now = 1796040000000000000LL;
  long done = 0;
  double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
  for (long first = 0; done < wanted; first += batch) {
    for (int version = 1; version <= 4; version++) {
      run(begin);
      for (int index = 0; index < batch; index++, done++) {
        char key[64], checkout[64], write[64];
        const int keySize = snprintf(key, sizeof key, "key-%ld-0000000000000000", first + index);
        const int checkoutSize = snprintf(checkout, sizeof checkout, "chk-%ld", first + index);
        const int writeSize = snprintf(write, sizeof write, "%ld-%d-%d", first, index, version);
        sqlite3_int64 row = 0;
        if (version > 1) {
          text(place, 1, "shop-eu", 7);
          text(place, 2, key, keySize);
          if (sqlite3_step(place) != SQLITE_ROW || sqlite3_column_int64(place, 1) != version - 1) fail("no such row");
          row = sqlite3_column_int64(place, 0);
          sqlite3_reset(place);
        }
        sqlite3_stmt *statement = version == 1 ? insert : version == 4 ? end : update;
        sqlite3_bind_int64(statement, 1, version);
        sqlite3_bind_int64(statement, 2, 1);
        text(statement, 3, "worker-a/1", 10);
        sqlite3_bind_null(statement, 4);
        sqlite3_bind_int64(statement, 5, now);
        text(statement, 6, filling, details);
        if (statement != update) {
          sqlite3_bind_int64(statement, 7, 1);
          sqlite3_bind_int64(statement, 8, version == 4);
          sqlite3_bind_null(statement, 9);
        }
        if (version == 1) {
          text(insert, 10, "shop-eu", 7);
          text(insert, 11, key, keySize);
          text(insert, 12, checkout, checkoutSize);
          run(insert);
          row = sqlite3_last_insert_rowid(database);
          sqlite3_bind_int64(insertBirth, 1, row);
          sqlite3_bind_int64(insertBirth, 2, now);
          text(insertBirth, 3, filling, birth);
          run(insertBirth);
        } else {
          sqlite3_bind_int64(statement, 10, row);
          run(statement);
        }
        sqlite3_bind_int64(insertStep, 1, row);
        sqlite3_bind_int64(insertStep, 2, version);
        sqlite3_bind_int64(insertStep, 3, now);
        text(insertStep, 4, write, writeSize);
        text(insertStep, 5, filling, steps);
        run(insertStep);
      }
      run(commit);
    }
  }
  printf("%ld %f %f\n", done, seconds(CLOCK_MONOTONIC) - wall, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
  return 0;
}
