// The journal's writes on PostgreSQL, one transaction per step: what a plain C program gets from the same server and tables.
// pgjournal CONNINFO COUNT CONNECTIONS DETAILS BIRTH STEPS   bytes of a row's texts; prints "WRITES WALL CPU" in seconds
// Tables as `checkout migrate` makes them. Each attempt: one create and three updates, each its own transaction.
#include <libpq-fe.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *conninfo, *details, *birth, *steps;

static double clock_of(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

static void check(PGconn *c, PGresult *r) {
  ExecStatusType s = PQresultStatus(r);
  if ((s != PGRES_COMMAND_OK && s != PGRES_TUPLES_OK) || (s == PGRES_TUPLES_OK && PQntuples(r) != 1)) {
    fprintf(stderr, "pgjournal: %s", PQerrorMessage(c));
    exit(1);
  }
  PQclear(r);
}

static const char *create =
    "WITH made AS (INSERT INTO checkout_attempts (id, merchant_id, idempotency_key, checkout_id, version, epoch, owner, blocks, "
    "ended, updated_at, details) VALUES (nextval('checkout_attempt_ids'), 'shop-eu', $1, $2, 1, 1, 'worker-a/1', true, false, 1, "
    "$3) ON CONFLICT DO NOTHING RETURNING id) INSERT INTO checkout_history (attempt, version, at, write_id, steps, birth) "
    "SELECT id, 1, (extract(epoch FROM clock_timestamp()) * 1000000)::int8, $4, $5, $6 FROM made RETURNING attempt";
static const char *update =
    "WITH changed AS (UPDATE checkout_attempts SET version = $2::int8, updated_at = 2, details = $3, ended = $6::bool "
    "WHERE merchant_id = 'shop-eu' AND idempotency_key = $1 AND version = $2::int8 - 1 AND epoch = 1 RETURNING id) "
    "INSERT INTO checkout_history (attempt, version, at, write_id, steps) "
    "SELECT id, $2::int8, (extract(epoch FROM clock_timestamp()) * 1000000)::int8, $4, $5 FROM changed RETURNING attempt";

struct share {
  long first, end;
};

static void *run(void *argument) {
  struct share *share = argument;
  PGconn *c = PQconnectdb(conninfo);
  if (PQstatus(c) != CONNECTION_OK) {
    fprintf(stderr, "pgjournal: %s", PQerrorMessage(c));
    exit(1);
  }
  check(c, PQexec(c, "SELECT set_config('plan_cache_mode', 'force_generic_plan', false)"));
  check(c, PQprepare(c, "create", create, 0, NULL));
  check(c, PQprepare(c, "update", update, 0, NULL));
  for (long i = share->first; i < share->end; i++) {
    char key[64], checkout[64], write[64], version[8];
    snprintf(key, sizeof key, "key-%ld-0000000000000000", i);
    snprintf(checkout, sizeof checkout, "chk-%ld", i);
    for (int v = 1; v <= 4; v++) {
      snprintf(write, sizeof write, "%ld-000-%d", i, v);
      snprintf(version, sizeof version, "%d", v);
      const char *made[] = {key, checkout, details, write, steps, birth};
      const char *changed[] = {key, version, details, write, steps, v == 4 ? "true" : "false"};
      check(c, v == 1 ? PQexecPrepared(c, "create", 6, made, NULL, NULL, 0) : PQexecPrepared(c, "update", 6, changed, NULL, NULL, 0));
    }
  }
  PQfinish(c);
  return NULL;
}

static char *text(const char *length) {
  size_t n = strtoul(length, NULL, 10);
  char *bytes = malloc(n + 1);
  for (size_t i = 0; i < n; i++) bytes[i] = 'a' + i * 7 % 26;
  bytes[n] = 0;
  return bytes;
}

int main(int count, char **arguments) {
  if (count != 7) return fprintf(stderr, "pgjournal CONNINFO COUNT CONNECTIONS DETAILS BIRTH STEPS\n"), 2;
  conninfo = arguments[1];
  long attempts = atol(arguments[2]) / 4, connections = atol(arguments[3]);
  details = text(arguments[4]), birth = text(arguments[5]), steps = text(arguments[6]);
  pthread_t threads[64];
  struct share shares[64];
  if (connections < 1 || connections > 64) return 2;
  double wall = clock_of(CLOCK_MONOTONIC), cpu = clock_of(CLOCK_PROCESS_CPUTIME_ID);
  for (long n = 0; n < connections; n++) {
    shares[n] = (struct share){attempts * n / connections, attempts * (n + 1) / connections};
    pthread_create(&threads[n], NULL, run, &shares[n]);
  }
  for (long n = 0; n < connections; n++) pthread_join(threads[n], NULL);
  printf("%ld %f %f\n", attempts * 4, clock_of(CLOCK_MONOTONIC) - wall, clock_of(CLOCK_PROCESS_CPUTIME_ID) - cpu);
  return 0;
}
