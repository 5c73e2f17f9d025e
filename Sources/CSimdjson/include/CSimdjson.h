// simdjson's DOM parser behind a C interface: one flat array of tokens for each document.
#ifndef CSIMDJSON_H
#define CSIMDJSON_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a token is. In an object, keys (strings) and values take turns.
enum {
  CSIMDJSON_NULL = 0,
  CSIMDJSON_FALSE = 1,
  CSIMDJSON_TRUE = 2,
  CSIMDJSON_INTEGER = 3,
  CSIMDJSON_DOUBLE = 4,
  CSIMDJSON_STRING = 5,
  CSIMDJSON_ARRAY = 6,
  CSIMDJSON_OBJECT = 7,
};

// Why a text is refused.
enum {
  CSIMDJSON_OK = 0,
  CSIMDJSON_EMPTY = 1,
  CSIMDJSON_SYNTAX = 2,
  CSIMDJSON_ENCODING = 3,
  CSIMDJSON_NUMBER = 4,
  CSIMDJSON_DEPTH = 5,
  CSIMDJSON_DUPLICATE = 6,
  CSIMDJSON_NUL = 7,
  CSIMDJSON_MEMORY = 8,
};

typedef struct {
  uint32_t kind;
  // Index of the first token after this value and everything in it.
  uint32_t next;
  // Integer: the value. Double: its bits. String: start among the strings (upper half) and length in bytes (lower half).
  // Array, object: number of elements or members.
  uint64_t payload;
} csimdjson_token;

// Parses `count` bytes with this thread's parser and keeps the result for `csimdjson_take`, called next on the same
// thread; says how many tokens and bytes of strings that will write. Also checks what simdjson leaves to its caller:
// duplicate keys, NUL, integers above INT64_MAX, nesting deeper than `depth_max` (at most 70).
int32_t csimdjson_parse(const uint8_t *bytes, size_t count, uint32_t depth_max, size_t *token_count,
                        size_t *string_count);

// Writes the tokens and the unescaped strings of the text parsed last on this thread, which must have succeeded.
void csimdjson_take(csimdjson_token *tokens, uint8_t *strings);

// True if both have the same `count` bytes.
static inline int csimdjson_same(const uint8_t *left, const uint8_t *right, size_t count) {
  return memcmp(left, right, count) == 0;
}

#ifdef __cplusplus
}
#endif
#endif
