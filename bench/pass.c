// The C peer of `checkout-bench engine`: consume and produce again with librdkafka alone, no engine in between. Settings that decide
// how much the library itself works are those of KafkaAdapter's ClientDefaults; like the engine it lets the key choose the partition.
//   cc -O2 -o pass bench/pass.c -lrdkafka
//   pass BROKERS PARTITIONS MESSAGES OUT IN...          key and value are handed on
//   pass -H BROKERS PARTITIONS MESSAGES OUT IN...       headers too: each message is asked for them, as the engine has to
// Prints: messages, wall seconds and CPU seconds of this process, from the first batch (the CPU of fetching and taking it included)
// to the last delivery report.
#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 1000 };

static long delivered, failed;

static double seconds(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static void set(rd_kafka_conf_t *conf, const char *name, const char *value) {
  char text[512];
  if (rd_kafka_conf_set(conf, name, value, text, sizeof text) != RD_KAFKA_CONF_OK) {
    fprintf(stderr, "%s=%s: %s\n", name, value, text);
    exit(2);
  }
}

static rd_kafka_t *client(rd_kafka_type_t type, rd_kafka_conf_t *conf) {
  char text[512];
  rd_kafka_t *made = rd_kafka_new(type, conf, text, sizeof text);
  if (!made) {
    fprintf(stderr, "%s\n", text);
    exit(2);
  }
  return made;
}

static rd_kafka_t *make_producer(const char *brokers) {
  rd_kafka_conf_t *conf = rd_kafka_conf_new();
  set(conf, "bootstrap.servers", brokers);
  set(conf, "enable.idempotence", "true");
  set(conf, "acks", "all");
  set(conf, "partitioner", "murmur2_random");
  set(conf, "socket.nagle.disable", "true");
  set(conf, "linger.ms", "1");
  set(conf, "batch.num.messages", "10000");
  set(conf, "queue.buffering.max.messages", "200000");
  set(conf, "queue.buffering.max.kbytes", "1048576");
  rd_kafka_conf_set_events(conf, RD_KAFKA_EVENT_DR);
  return client(RD_KAFKA_PRODUCER, conf);
}

static rd_kafka_t *make_consumer(const char *brokers) {
  rd_kafka_conf_t *conf = rd_kafka_conf_new();
  set(conf, "bootstrap.servers", brokers);
  set(conf, "group.id", "c-peer");
  set(conf, "enable.auto.commit", "false");
  set(conf, "enable.auto.offset.store", "false");
  set(conf, "fetch.wait.max.ms", "50");
  set(conf, "queued.min.messages", "1000000");
  set(conf, "queued.max.messages.kbytes", "262144");
  set(conf, "isolation.level", "read_committed");
  set(conf, "socket.nagle.disable", "true");
  rd_kafka_t *made = client(RD_KAFKA_CONSUMER, conf);
  rd_kafka_poll_set_consumer(made);
  return made;
}

static void serve_reports(rd_kafka_queue_t *queue, int wait_milliseconds) {
  rd_kafka_event_t *event;
  while ((event = rd_kafka_queue_poll(queue, wait_milliseconds))) {
    const rd_kafka_message_t *message;
    if (rd_kafka_event_type(event) == RD_KAFKA_EVENT_DR)
      while ((message = rd_kafka_event_message_next(event))) {
        if (message->err)
          failed++;
        else
          delivered++;
      }
    rd_kafka_event_destroy(event);
    wait_milliseconds = 0;
  }
}

// Hands one message on; false if it was not taken.
static int produce(rd_kafka_t *producer, rd_kafka_topic_t *out, const rd_kafka_message_t *message, int with_headers) {
  rd_kafka_headers_t *headers;
  if (!with_headers || rd_kafka_message_headers(message, &headers))
    return !rd_kafka_produce(out, RD_KAFKA_PARTITION_UA, RD_KAFKA_MSG_F_COPY, message->payload, message->len, message->key,
                             message->key_len, NULL);
  headers = rd_kafka_headers_copy(headers);
  rd_kafka_resp_err_t error = rd_kafka_producev(
      producer, RD_KAFKA_V_RKT(out), RD_KAFKA_V_PARTITION(RD_KAFKA_PARTITION_UA), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
      RD_KAFKA_V_VALUE(message->payload, message->len), RD_KAFKA_V_KEY(message->key, message->key_len),
      RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_END);
  if (error) rd_kafka_headers_destroy(headers);
  return !error;
}

int main(int count, char **arguments) {
  int with_headers = count > 1 && !strcmp(arguments[1], "-H");
  count -= with_headers, arguments += with_headers;
  if (count < 6) {
    fprintf(stderr, "usage: pass [-H] BROKERS PARTITIONS MESSAGES OUT IN...\n");
    return 2;
  }
  int partitions = atoi(arguments[2]);
  long wanted = atol(arguments[3]), taken = 0;
  rd_kafka_t *consumer = make_consumer(arguments[1]), *producer = make_producer(arguments[1]);
  rd_kafka_topic_t *out = rd_kafka_topic_new(producer, arguments[4], NULL);
  rd_kafka_queue_t *messages = rd_kafka_queue_get_consumer(consumer), *reports = rd_kafka_queue_get_main(producer);
  rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(partitions);
  for (int topic = 5; topic < count; topic++)
    for (int partition = 0; partition < partitions; partition++)
      rd_kafka_topic_partition_list_add(list, arguments[topic], partition)->offset = RD_KAFKA_OFFSET_BEGINNING;
  rd_kafka_assign(consumer, list);
  rd_kafka_topic_partition_list_destroy(list);
  rd_kafka_message_t *batch[BATCH];
  double wall = 0, cpu = 0;
  while (taken < wanted) {
    double before = seconds(CLOCK_PROCESS_CPUTIME_ID);
    ssize_t got = rd_kafka_consume_batch_queue(messages, 100, batch, BATCH);
    if (got > 0 && wall == 0) wall = seconds(CLOCK_MONOTONIC), cpu = before;
    for (ssize_t i = 0; i < got; i++) {
      rd_kafka_message_t *message = batch[i];
      if (message->err) {
        fprintf(stderr, "%s\n", rd_kafka_message_errstr(message));
      } else {
        while (!produce(producer, out, message, with_headers)) serve_reports(reports, 10);
        taken++;
      }
      rd_kafka_message_destroy(message);
    }
    serve_reports(reports, 0);
  }
  while (delivered + failed < taken) serve_reports(reports, 100);
  wall = seconds(CLOCK_MONOTONIC) - wall;
  cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  printf("%ld %.6f %.6f\n", delivered, wall, cpu);
  fflush(stdout);
  _exit(failed ? 1 : 0);
}
