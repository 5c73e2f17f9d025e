// The C peer of the exactly-once rows of `checkout-bench engine`: consume, produce again, one transaction after the other, each with
// the offsets of its messages, in a real consumer group. One thread collects messages, kept as the library handed them over; the
// other one produces and commits what was collected before. Settings that decide how much the library itself works are those of
// KafkaAdapter's ClientDefaults, but for linger.ms=0; like the engine it lets the key choose the partition.
//   cc -O2 -o eos bench/eos.c -lrdkafka -lpthread
//   eos BROKERS MESSAGES SIZE MILLISECONDS OUT IN
// A transaction is committed once it has SIZE messages, or MILLISECONDS after its first one (0: only the size counts).
// Prints: messages, wall seconds and CPU seconds of this process, from the first batch (the CPU of fetching and taking it included)
// to the end of the last commit; then the number of transactions.
#include <librdkafka/rdkafka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 1000, PARTITIONS = 64 };

typedef struct {
  rd_kafka_message_t **messages;
  int count;
  int64_t next[PARTITIONS]; // -1: none
  double began;
} transaction;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static transaction *committing; // guarded by `lock`
static rd_kafka_t *producer;
static rd_kafka_topic_t *out;
static rd_kafka_consumer_group_metadata_t *membership;
static const char *in;
static long delivered, commits; // the commit thread's, read after its last commit

static double seconds(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static void stop(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(2);
}

static void check(const char *what, rd_kafka_error_t *error) {
  if (error) stop(what, rd_kafka_error_string(error));
}

static void set(rd_kafka_conf_t *conf, const char *name, const char *value) {
  char text[512];
  if (rd_kafka_conf_set(conf, name, value, text, sizeof text) != RD_KAFKA_CONF_OK) stop(name, text);
}

static rd_kafka_t *client(rd_kafka_type_t type, rd_kafka_conf_t *conf) {
  char text[512];
  rd_kafka_t *made = rd_kafka_new(type, conf, text, sizeof text);
  if (!made) stop("client", text);
  return made;
}

static void on_delivery(rd_kafka_t *client, const rd_kafka_message_t *message, void *opaque) {
  (void)client, (void)opaque;
  if (message->err) stop("delivery", rd_kafka_err2str(message->err));
  delivered++;
}

static rd_kafka_t *make_producer(const char *brokers, const char *name) {
  rd_kafka_conf_t *conf = rd_kafka_conf_new();
  set(conf, "bootstrap.servers", brokers);
  set(conf, "transactional.id", name);
  set(conf, "transaction.timeout.ms", "10000");
  set(conf, "message.timeout.ms", "10000");
  set(conf, "partitioner", "murmur2_random");
  set(conf, "socket.nagle.disable", "true");
  set(conf, "retry.backoff.ms", "10");
  set(conf, "linger.ms", "0");
  set(conf, "batch.num.messages", "10000");
  set(conf, "queue.buffering.max.messages", "500000");
  set(conf, "queue.buffering.max.kbytes", "1048576");
  rd_kafka_conf_set_dr_msg_cb(conf, on_delivery);
  return client(RD_KAFKA_PRODUCER, conf);
}

static rd_kafka_t *make_consumer(const char *brokers, const char *name) {
  rd_kafka_conf_t *conf = rd_kafka_conf_new();
  set(conf, "bootstrap.servers", brokers);
  set(conf, "group.id", name);
  set(conf, "auto.offset.reset", "earliest");
  set(conf, "enable.auto.commit", "false");
  set(conf, "enable.auto.offset.store", "false");
  set(conf, "partition.assignment.strategy", "range");
  set(conf, "isolation.level", "read_committed");
  set(conf, "fetch.wait.max.ms", "50");
  set(conf, "queued.min.messages", "1000000");
  set(conf, "queued.max.messages.kbytes", "262144");
  set(conf, "receive.message.max.bytes", "2000000000");
  set(conf, "socket.nagle.disable", "true");
  rd_kafka_conf_set_events(conf, RD_KAFKA_EVENT_REBALANCE);
  rd_kafka_t *made = client(RD_KAFKA_CONSUMER, conf);
  rd_kafka_poll_set_consumer(made);
  return made;
}

// Clients are set up and the thread has ended what was handed over: the measured part starts and ends at these.
static void transact(transaction *one) {
  check("begin", rd_kafka_begin_transaction(producer));
  for (int i = 0; i < one->count; i++) {
    rd_kafka_message_t *message = one->messages[i];
    while (rd_kafka_produce(out, RD_KAFKA_PARTITION_UA, RD_KAFKA_MSG_F_COPY, message->payload, message->len, message->key,
                            message->key_len, NULL))
      rd_kafka_poll(producer, 10);
  }
  rd_kafka_topic_partition_list_t *offsets = rd_kafka_topic_partition_list_new(PARTITIONS);
  for (int i = 0; i < PARTITIONS; i++)
    if (one->next[i] >= 0) rd_kafka_topic_partition_list_add(offsets, in, i)->offset = one->next[i];
  check("send_offsets", rd_kafka_send_offsets_to_transaction(producer, offsets, membership, 10000));
  check("commit", rd_kafka_commit_transaction(producer, 10000));
  rd_kafka_topic_partition_list_destroy(offsets);
  for (int i = 0; i < one->count; i++) rd_kafka_message_destroy(one->messages[i]);
  one->count = 0;
  memset(one->next, -1, sizeof one->next);
  commits++;
}

static void *commit_loop(void *unused) {
  (void)unused;
  while (1) {
    pthread_mutex_lock(&lock);
    while (!committing) pthread_cond_wait(&changed, &lock);
    transaction *one = committing;
    pthread_mutex_unlock(&lock);
    transact(one);
    pthread_mutex_lock(&lock);
    committing = NULL;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

// Hands a transaction over if the other thread is free; `wait`: once it is. Returns whether it was taken.
static int hand_over(transaction *one, int wait) {
  pthread_mutex_lock(&lock);
  while (wait && committing) pthread_cond_wait(&changed, &lock);
  int taken = !committing;
  if (taken) {
    committing = one;
    pthread_cond_broadcast(&changed);
  }
  pthread_mutex_unlock(&lock);
  return taken;
}

static void wait_idle(void) {
  pthread_mutex_lock(&lock);
  while (committing) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}

// A lone member gets everything once and keeps it.
static void join(rd_kafka_t *consumer, rd_kafka_queue_t *control, rd_kafka_queue_t *data) {
  rd_kafka_topic_partition_list_t *topics = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(topics, in, RD_KAFKA_PARTITION_UA);
  rd_kafka_subscribe(consumer, topics);
  while (!membership) {
    rd_kafka_event_t *event = rd_kafka_queue_poll(control, 1000);
    if (!event) continue;
    if (rd_kafka_event_type(event) == RD_KAFKA_EVENT_REBALANCE &&
        rd_kafka_event_error(event) == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
      rd_kafka_topic_partition_list_t *list = rd_kafka_event_topic_partition_list(event);
      membership = rd_kafka_consumer_group_metadata(consumer);
      for (int i = 0; i < list->cnt; i++) {
        rd_kafka_queue_t *queue = rd_kafka_queue_get_partition(consumer, list->elems[i].topic, list->elems[i].partition);
        rd_kafka_queue_forward(queue, data);
        rd_kafka_queue_destroy(queue);
      }
      rd_kafka_assign(consumer, list);
    }
    rd_kafka_event_destroy(event);
  }
}

int main(int count, char **arguments) {
  if (count != 7) stop("usage", "eos BROKERS MESSAGES SIZE MILLISECONDS OUT IN");
  long wanted = atol(arguments[2]), taken = 0;
  int size = atoi(arguments[3]);
  double limit = atof(arguments[4]) / 1e3;
  in = arguments[6];
  char name[64];
  snprintf(name, sizeof name, "c-peer-%d", (int)getpid());
  producer = make_producer(arguments[1], name);
  out = rd_kafka_topic_new(producer, arguments[5], NULL);
  check("init", rd_kafka_init_transactions(producer, 30000));
  rd_kafka_t *consumer = make_consumer(arguments[1], name);
  rd_kafka_queue_t *control = rd_kafka_queue_get_consumer(consumer), *data = rd_kafka_queue_new(consumer);
  transaction transactions[2], *filling = transactions;
  for (int i = 0; i < 2; i++) {
    transactions[i] = (transaction){.messages = malloc(sizeof(rd_kafka_message_t *) * size)};
    memset(transactions[i].next, -1, sizeof transactions[i].next);
  }
  pthread_t thread;
  pthread_create(&thread, NULL, commit_loop, NULL);
  join(consumer, control, data);
  rd_kafka_message_t *batch[BATCH];
  double wall = 0, cpu = 0;
  while (taken < wanted) {
    int room = size - filling->count < BATCH ? size - filling->count : BATCH;
    double before = seconds(CLOCK_PROCESS_CPUTIME_ID);
    ssize_t got = rd_kafka_consume_batch_queue(data, 5, batch, room);
    if (got > 0 && wall == 0) wall = seconds(CLOCK_MONOTONIC), cpu = before;
    for (ssize_t i = 0; i < got; i++) {
      if (batch[i]->err) stop("consume", rd_kafka_message_errstr(batch[i]));
      if (!filling->count) filling->began = seconds(CLOCK_MONOTONIC);
      filling->messages[filling->count++] = batch[i];
      filling->next[batch[i]->partition] = batch[i]->offset + 1;
      taken++;
    }
    int full = filling->count == size || taken >= wanted;
    int due = limit > 0 && filling->count && seconds(CLOCK_MONOTONIC) - filling->began >= limit;
    // What this one held is reused only once the thread was seen free, which is when the next one is taken.
    if ((full || due) && hand_over(filling, full)) filling = filling == transactions ? transactions + 1 : transactions;
  }
  wait_idle();
  wall = seconds(CLOCK_MONOTONIC) - wall;
  cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  printf("%ld %.6f %.6f %ld\n", delivered, wall, cpu, commits);
  fflush(stdout);
  _exit(0);
}
