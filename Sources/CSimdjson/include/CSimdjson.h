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
  uint16_t kind;
  // A member's name: its number in the list that was given to the parse; 0 if it is not in it, and for all other values.
  uint16_t name;
  // Index of the first token after this value and everything in it.
  uint32_t next;
  // Integer: the value. Double: its bits. String: start among the strings (upper half) and length in bytes (lower half).
  // Array, object: number of elements or members.
  uint64_t payload;
} csimdjson_token;

// A list of names that are worth knowing by number, counted from 1. Never changed after it was made; any thread.
typedef struct csimdjson_names csimdjson_names;

enum { CSIMDJSON_NAMES_MAX = 63 };

// The list of the names in `text`, each ended by a line feed; at most CSIMDJSON_NAMES_MAX, all different and not empty,
// each of at most 255 bytes. NULL if they are not, or if there is no memory. Lives for ever.
const csimdjson_names *csimdjson_names_create(const uint8_t *text, size_t count);

// How much a parse has found.
typedef struct {
  size_t token_count;
  // Bytes of strings.
  size_t string_count;
  // 0 if nothing in the text was escaped: then no string in it needs an escape when it is written.
  int has_escapes;
} csimdjson_sizes;

// Parses `count` bytes with this thread's parser and keeps the result for `csimdjson_take`, called next on the same
// thread. Also checks what simdjson leaves to its caller: duplicate keys, NUL, integers above INT64_MAX, nesting deeper
// than `depth_max` (at most 70). Members' names are numbered by their unescaped text.
int32_t csimdjson_parse(const uint8_t *bytes, size_t count, uint32_t depth_max, const csimdjson_names *names,
                        csimdjson_sizes *sizes);

// Writes the tokens and the unescaped strings of the text parsed last on this thread, which must have succeeded.
void csimdjson_take(csimdjson_token *tokens, uint8_t *strings);

// Index of the first token from `from` up to `to` that is a string of at least `count_min` bytes, the first `count_min` of
// them digits, spaces and dashes; `to` if there is none.
static inline size_t csimdjson_find_numeric(const csimdjson_token *tokens, size_t from, size_t to,
                                            const uint8_t *strings, uint32_t count_min) {
  for (size_t at = from; at < to; at++) {
    if (tokens[at].kind != CSIMDJSON_STRING || (uint32_t)tokens[at].payload < count_min) continue;
    const uint8_t *text = strings + (tokens[at].payload >> 32);
    uint32_t run = 0;
    while (run < count_min && ((uint8_t)(text[run] - '0') <= 9 || text[run] == ' ' || text[run] == '-')) run++;
    if (run == count_min) return at;
  }
  return to;
}

// True if both have the same `count` bytes.
static inline int csimdjson_same(const uint8_t *left, const uint8_t *right, size_t count) {
  return memcmp(left, right, count) == 0;
}

#ifdef __cplusplus
}
#endif
#endif
