// Loaded in front of a worker's libraries (LD_PRELOAD): ends the process with SIGKILL when a named point is passed for the
// n-th time. CHAOS_KILL=NAME:COUNT says where. The program itself knows nothing of it: a point is a call of librdkafka,
// SQLite or libpq, or the moment after it. What a transaction is about is read from its statements.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_long passed;

static void die(const char *name) {
  char line[128];
  int length = snprintf(line, sizeof line, "chaos: killed at %s\n", name);
  if (write(2, line, (size_t)length) < 0) _exit(137);
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

static int is_wanted(const char *name) {
  const char *wanted = getenv("CHAOS_KILL");
  size_t length = strlen(name);
  return wanted && strncmp(wanted, name, length) == 0 && wanted[length] == ':';
}

// True at the n-th passage.
static int is_hit(const char *name) {
  if (!is_wanted(name)) return 0;
  return atomic_fetch_add(&passed, 1) + 1 == atol(strchr(getenv("CHAOS_KILL"), ':') + 1);
}

static void point(const char *name) {
  if (is_hit(name)) die(name);
}

static void *next(const char *symbol) { return dlsym(RTLD_NEXT, symbol); }

static void *later(void *name) {
  usleep(700);
  die(name);
  return 0;
}

// Ends the process while the call that follows is under way.
static void point_inside(const char *name) {
  pthread_t thread;
  if (is_hit(name)) pthread_create(&thread, 0, later, (void *)name);
}

// Kafka

ssize_t rd_kafka_consume_batch_queue(void *queue, int milliseconds, void **messages, size_t size) {
  static ssize_t (*call)(void *, int, void **, size_t);
  if (!call) call = next("rd_kafka_consume_batch_queue");
  ssize_t count = call(queue, milliseconds, messages, size);
  if (count > 0) point("polled");
  return count;
}

int rd_kafka_produce(
    void *topic, int partition, int flags, void *value, size_t size, const void *key, size_t key_size, void *opaque) {
  static int (*call)(void *, int, int, void *, size_t, const void *, size_t, void *);
  if (!call) call = next("rd_kafka_produce");
  point("produce-before");
  return call(topic, partition, flags, value, size, key, key_size, opaque);
}

void *rd_kafka_produceva(void *client, const void *parts, size_t count) {
  static void *(*call)(void *, const void *, size_t);
  if (!call) call = next("rd_kafka_produceva");
  point("produce-before");
  return call(client, parts, count);
}

void *rd_kafka_begin_transaction(void *client) {
  static void *(*call)(void *);
  if (!call) call = next("rd_kafka_begin_transaction");
  void *error = call(client);
  point("begin-after");
  return error;
}

void *rd_kafka_send_offsets_to_transaction(void *client, const void *offsets, const void *group, int milliseconds) {
  static void *(*call)(void *, const void *, const void *, int);
  if (!call) call = next("rd_kafka_send_offsets_to_transaction");
  point("offsets-before");
  void *error = call(client, offsets, group, milliseconds);
  point("offsets-after");
  return error;
}

void *rd_kafka_commit_transaction(void *client, int milliseconds) {
  static void *(*call)(void *, int);
  if (!call) call = next("rd_kafka_commit_transaction");
  point("commit-before");
  point_inside("commit-inside");
  void *error = call(client, milliseconds);
  point("commit-after");
  return error;
}

// At-least-once: the offsets, after all outputs were delivered.
int rd_kafka_commit_queue(void *client, const void *offsets, void *queue, void *callback, void *opaque) {
  static int (*call)(void *, const void *, void *, void *, void *);
  if (!call) call = next("rd_kafka_commit_queue");
  point("commit-before");
  point_inside("commit-inside");
  int code = call(client, offsets, queue, callback, opaque);
  point("commit-after");
  return code;
}

// SQLite: each connection has a thread of its own.

static __thread int creates, updates, reserves, charges, receipts;

static int has_kind(const char *sql, const char *kind) {
  const char *values = strstr(sql, "VALUES ('");
  return values && strncmp(values + 9, kind, strlen(kind)) == 0;
}

static void note(void *statement, const char *sql) {
  if (strncmp(sql, "INSERT INTO attempts", 20) == 0) creates++;
  if (strncmp(sql, "UPDATE attempts", 15) == 0) updates++;
  if (strncmp(sql, "INSERT INTO entries", 19) != 0) return;
  char *(*expand)(void *) = dlsym(RTLD_DEFAULT, "sqlite3_expanded_sql");
  void (*release)(void *) = dlsym(RTLD_DEFAULT, "sqlite3_free");
  char *text = expand(statement);
  if (!text) return;
  if (has_kind(text, "reserved")) reserves++;
  if (has_kind(text, "captured") || has_kind(text, "authorised") || has_kind(text, "declined")) charges++;
  if (has_kind(text, "receipted")) receipts++;
  release(text);
}

static void pass(const char *create, const char *update, const char *reserve, const char *charge, const char *receipt) {
  if (creates) point(create);
  if (updates) point(update);
  if (reserves) point(reserve);
  if (charges) point(charge);
  if (receipts) point(receipt);
}

int sqlite3_step(void *statement) {
  static int (*call)(void *);
  static const char *(*text)(void *);
  if (!call) call = next("sqlite3_step");
  if (!text) text = dlsym(RTLD_DEFAULT, "sqlite3_sql");
  const char *sql = text(statement);
  int ends = sql && strcmp(sql, "COMMIT") == 0;
  if (ends) pass("create-before", "update-before", "reserve-before", "charge-before", "receipt-before");
  int code = call(statement);
  if (ends) pass("create-after", "update-after", "reserve-after", "charge-after", "receipt-after");
  if (ends || (sql && strcmp(sql, "ROLLBACK") == 0)) creates = updates = reserves = charges = receipts = 0;
  else if (sql) note(statement, sql);
  return code;
}

// A transaction is in the file but not synced: nobody has been told of it.
int fdatasync(int descriptor) {
  static int (*call)(int);
  if (!call) call = next("fdatasync");
  if (is_wanted("journal-sync-before") || is_wanted("ledger-sync-before")) {
    char link[64], path[512];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    if (strstr(path, "journal.db")) point("journal-sync-before");
    if (strstr(path, "ledger.db")) point("ledger-sync-before");
  }
  return call(descriptor);
}

// PostgreSQL: one transaction ends with each answer to a sync.

static char prepared[64][64];
static char kinds[64];

int PQsendPrepare(void *connection, const char *name, const char *sql, int count, const void *types) {
  static int (*call)(void *, const char *, const char *, int, const void *);
  if (!call) call = next("PQsendPrepare");
  char kind = strstr(sql, "INSERT INTO checkout_attempts") ? 'c' : strstr(sql, "UPDATE checkout_attempts a SET version") ? 'u' : 0;
  for (int slot = 0; kind && slot < 64; slot++) {
    if (kinds[slot] && strcmp(prepared[slot], name) != 0) continue;
    snprintf(prepared[slot], sizeof prepared[slot], "%s", name);
    kinds[slot] = kind;
    break;
  }
  return call(connection, name, sql, count, types);
}

int PQsendQueryPrepared(
    void *connection, const char *name, int count, const void *values, const void *lengths, const void *formats,
    int format) {
  static int (*call)(void *, const char *, int, const void *, const void *, const void *, int);
  if (!call) call = next("PQsendQueryPrepared");
  for (int slot = 0; slot < 64 && kinds[slot]; slot++) {
    if (strcmp(prepared[slot], name) != 0) continue;
    point(kinds[slot] == 'c' ? "create-before" : "update-before");
    if (kinds[slot] == 'c') creates++;
    else updates++;
  }
  return call(connection, name, count, values, lengths, formats, format);
}

int PQconsumeInput(void *connection) {
  static int (*call)(void *);
  if (!call) call = next("PQconsumeInput");
  if (creates || updates) point("journal-sync-before");
  return call(connection);
}

void *PQgetResult(void *connection) {
  static void *(*call)(void *);
  static int (*status)(const void *);
  if (!call) call = next("PQgetResult");
  if (!status) status = dlsym(RTLD_DEFAULT, "PQresultStatus");
  void *result = call(connection);
  const int sync = 10;
  if (result && status(result) == sync) {
    if (creates) point("create-after");
    if (updates) point("update-after");
    creates = updates = 0;
  }
  return result;
}
