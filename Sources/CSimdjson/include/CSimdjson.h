// simdjson behind a C interface.
#ifndef CSIMDJSON_H
#define CSIMDJSON_H
#endif
