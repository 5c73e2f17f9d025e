// The broker of `checkout-bench engine`: librdkafka's mock cluster in a process of its own.
//   cc -O2 -o broker bench/broker.c -lrdkafka
//   broker PARTITIONS TOPIC...
// Prints the bootstrap list and stays until it is killed.
#define _GNU_SOURCE
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

// The mock cluster leaves Nagle's algorithm on, Kafka turns it off: with it, whoever waits for an answer and has nothing to send
// meanwhile gets it after the 40 ms of a delayed ACK. This definition takes the place of libc's in the library.
int accept(int listener, struct sockaddr *address, socklen_t *length) {
  int connection = accept4(listener, address, length, 0), on = 1;
  if (connection >= 0) setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return connection;
}

int main(int count, char **arguments) {
  if (count < 3) {
    fprintf(stderr, "usage: broker PARTITIONS TOPIC...\n");
    return 2;
  }
  char text[512];
  rd_kafka_t *client = rd_kafka_new(RD_KAFKA_PRODUCER, rd_kafka_conf_new(), text, sizeof text);
  rd_kafka_mock_cluster_t *cluster = client ? rd_kafka_mock_cluster_new(client, 1) : NULL;
  if (!cluster) {
    fprintf(stderr, "%s\n", text);
    return 1;
  }
  for (int topic = 2; topic < count; topic++)
    if (rd_kafka_mock_topic_create(cluster, arguments[topic], atoi(arguments[1]), 1)) return 1;
  printf("%s\n", rd_kafka_mock_cluster_bootstraps(cluster));
  fflush(stdout);
  while (1) pause();
}
