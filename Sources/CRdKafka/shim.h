// librdkafka for Swift: the headers, and typed wrappers for what Swift cannot call (variadics, unions, errno).
#ifndef CRDKAFKA_SHIM_H
#define CRDKAFKA_SHIM_H
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <poll.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <time.h>

// A counter that librdkafka's queues and any thread can ring and one thread can wait for; -1 if there are no descriptors.
static inline int shim_wake_new(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }
static inline void shim_wake_ring(int descriptor) { (void)eventfd_write(descriptor, 1); }

// Waits up to `nanoseconds` for a ring and takes it.
static inline void shim_wake_wait(int descriptor, int64_t nanoseconds) {
  struct pollfd entry = {.fd = descriptor, .events = POLLIN};
  struct timespec limit = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  eventfd_t count;
  if (ppoll(&entry, 1, &limit, NULL) > 0) (void)eventfd_read(descriptor, &count);
}

// One message to a topic, partition by its key. The value is not copied: it must stay where it is until the delivery
// report. `headers` (may be NULL) belong to librdkafka after success only.
static inline rd_kafka_resp_err_t shim_produce(rd_kafka_t *client, rd_kafka_topic_t *topic, const void *key,
                                               size_t key_size, const void *value, size_t value_size,
                                               rd_kafka_headers_t *headers, void *opaque) {
  if (!headers) {
    int failed = rd_kafka_produce(topic, RD_KAFKA_PARTITION_UA, 0, (void *)value, value_size, key, key_size, opaque);
    return failed ? rd_kafka_last_error() : RD_KAFKA_RESP_ERR_NO_ERROR;
  }
  rd_kafka_vu_t arguments[6];
  arguments[0].vtype = RD_KAFKA_VTYPE_RKT;
  arguments[0].u.rkt = topic;
  arguments[1].vtype = RD_KAFKA_VTYPE_PARTITION;
  arguments[1].u.i32 = RD_KAFKA_PARTITION_UA;
  arguments[2].vtype = RD_KAFKA_VTYPE_VALUE;
  arguments[2].u.mem.ptr = (void *)value;
  arguments[2].u.mem.size = value_size;
  arguments[3].vtype = RD_KAFKA_VTYPE_KEY;
  arguments[3].u.mem.ptr = (void *)key;
  arguments[3].u.mem.size = key_size;
  arguments[4].vtype = RD_KAFKA_VTYPE_HEADERS;
  arguments[4].u.headers = headers;
  arguments[5].vtype = RD_KAFKA_VTYPE_OPAQUE;
  arguments[5].u.ptr = opaque;
  rd_kafka_error_t *error = rd_kafka_produceva(client, arguments, 6);
  if (!error) return RD_KAFKA_RESP_ERR_NO_ERROR;
  rd_kafka_resp_err_t code = rd_kafka_error_code(error);
  rd_kafka_error_destroy(error);
  return code;
}

// One error for the next request of a kind (the library's own function is variadic).
static inline void shim_mock_push_error(rd_kafka_mock_cluster_t *cluster, int16_t api_key, rd_kafka_resp_err_t error) {
  rd_kafka_mock_push_request_errors_array(cluster, api_key, 1, &error);
}
#endif
