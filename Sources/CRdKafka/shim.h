// librdkafka for Swift: the headers, and typed wrappers for what Swift cannot call (variadics, unions).
#ifndef CRDKAFKA_SHIM_H
#define CRDKAFKA_SHIM_H
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#endif
