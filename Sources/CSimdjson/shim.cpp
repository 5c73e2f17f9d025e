// Walks simdjson's tape once and writes it as flat tokens; checks what the DOM parser does not.
#include "CSimdjson.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include <simdjson.h>

namespace {

constexpr size_t depth_limit = 72;
// A parser that has grown beyond this is given back after use, so that one huge text does not cost memory for ever.
constexpr size_t capacity_kept = 4u << 20;

thread_local std::unique_ptr<simdjson::dom::parser> thread_parser;

int32_t translate(simdjson::error_code code) {
  switch (code) {
    case simdjson::SUCCESS: return CSIMDJSON_OK;
    case simdjson::EMPTY: return CSIMDJSON_EMPTY;
    case simdjson::UTF8_ERROR: return CSIMDJSON_ENCODING;
    case simdjson::NUMBER_ERROR: return CSIMDJSON_NUMBER;
    case simdjson::DEPTH_ERROR: return CSIMDJSON_DEPTH;
    case simdjson::MEMALLOC:
    case simdjson::CAPACITY: return CSIMDJSON_MEMORY;
    default: return CSIMDJSON_SYNTAX;
  }
}

struct Key {
  const uint8_t *start;
  uint32_t length;
};

Key key_at(const csimdjson_token &token, const uint8_t *arena) {
  return {arena + (token.payload >> 32), static_cast<uint32_t>(token.payload)};
}

bool same(const Key &left, const Key &right) {
  return left.length == right.length && std::memcmp(left.start, right.start, left.length) == 0;
}

bool before(const Key &left, const Key &right) {
  if (left.length != right.length) return left.length < right.length;
  return std::memcmp(left.start, right.start, left.length) < 0;
}

// Few keys are compared with each other; many are sorted first, so that no text costs more than n log n.
bool has_duplicate(const csimdjson_token *tokens, uint32_t object, uint32_t end, const uint8_t *arena) {
  Key few[24];
  const uint64_t count = tokens[object].payload;
  if (count < 2) return false;
  if (count <= 24) {
    uint32_t filled = 0;
    for (uint32_t at = object + 1; at < end; at = tokens[at + 1].next) {
      const Key key = key_at(tokens[at], arena);
      for (uint32_t i = 0; i < filled; i++) {
        if (same(few[i], key)) return true;
      }
      few[filled++] = key;
    }
    return false;
  }
  std::vector<Key> keys;
  keys.reserve(count);
  for (uint32_t at = object + 1; at < end; at = tokens[at + 1].next) keys.push_back(key_at(tokens[at], arena));
  std::sort(keys.begin(), keys.end(), before);
  return std::adjacent_find(keys.begin(), keys.end(), same) != keys.end();
}

struct Walk {
  csimdjson_token *tokens;
  uint8_t *arena;
  uint32_t count = 0;
  size_t used = 0;
  uint32_t depth = 0;
  uint32_t open[depth_limit];

  // A child of an array, or a key of an object, adds one to its container; values of keys do not count again.
  void add(uint32_t kind, uint64_t payload) {
    tokens[count] = {kind, count + 1, payload};
    count++;
  }
};

int32_t take_string(Walk &walk, const uint8_t *entry) {
  uint32_t length;
  std::memcpy(&length, entry, sizeof length);
  const uint8_t *text = entry + sizeof length;
  if (std::memchr(text, 0, length) != nullptr) return CSIMDJSON_NUL;
  std::memcpy(walk.arena + walk.used, text, length);
  walk.add(CSIMDJSON_STRING, (static_cast<uint64_t>(walk.used) << 32) | length);
  walk.used += length;
  return CSIMDJSON_OK;
}

void count_children(Walk &walk, uint32_t container) {
  csimdjson_token &token = walk.tokens[container];
  uint64_t children = 0;
  const bool object = token.kind == CSIMDJSON_OBJECT;
  for (uint32_t at = container + 1; at < walk.count; at = walk.tokens[object ? at + 1 : at].next) children++;
  token.payload = children;
  token.next = walk.count;
}

int32_t walk_tape(Walk &walk, const simdjson::dom::document &document, uint32_t depth_max) {
  constexpr uint64_t payload_mask = 0x00FFFFFFFFFFFFFFull;
  const uint64_t *tape = document.tape.get();
  const size_t end = static_cast<size_t>(tape[0] & payload_mask);
  for (size_t at = 1; at + 1 < end; at++) {
    const uint64_t payload = tape[at] & payload_mask;
    switch (static_cast<char>(tape[at] >> 56)) {
      case '{':
      case '[':
        if (walk.depth >= depth_max || walk.depth >= depth_limit) return CSIMDJSON_DEPTH;
        walk.open[walk.depth++] = walk.count;
        walk.add(static_cast<char>(tape[at] >> 56) == '{' ? CSIMDJSON_OBJECT : CSIMDJSON_ARRAY, 0);
        break;
      case '}': {
        const uint32_t object = walk.open[--walk.depth];
        count_children(walk, object);
        if (has_duplicate(walk.tokens, object, walk.count, walk.arena)) return CSIMDJSON_DUPLICATE;
        break;
      }
      case ']': count_children(walk, walk.open[--walk.depth]); break;
      case '"': {
        const int32_t code = take_string(walk, document.string_buf.get() + payload);
        if (code != CSIMDJSON_OK) return code;
        break;
      }
      case 'l': walk.add(CSIMDJSON_INTEGER, tape[++at]); break;
      case 'd': walk.add(CSIMDJSON_DOUBLE, tape[++at]); break;
      case 't': walk.add(CSIMDJSON_TRUE, 0); break;
      case 'f': walk.add(CSIMDJSON_FALSE, 0); break;
      case 'n': walk.add(CSIMDJSON_NULL, 0); break;
      case 'u': return CSIMDJSON_NUMBER;
      default: return CSIMDJSON_SYNTAX;
    }
  }
  return CSIMDJSON_OK;
}

}  // namespace

extern "C" int32_t csimdjson_parse(const uint8_t *bytes, size_t count, size_t *token_bound) {
  *token_bound = 0;
  if (count == 0 || bytes == nullptr) return CSIMDJSON_EMPTY;
  if (count >= UINT32_MAX) return CSIMDJSON_MEMORY;
  if (!thread_parser) {
    thread_parser.reset(new (std::nothrow) simdjson::dom::parser());
    if (!thread_parser) return CSIMDJSON_MEMORY;
    if (thread_parser->allocate(4096, depth_limit) != simdjson::SUCCESS) {
      thread_parser.reset();
      return CSIMDJSON_MEMORY;
    }
  }
  const auto code = thread_parser->parse(bytes, count, true).error();
  if (code != simdjson::SUCCESS) {
    if (thread_parser->capacity() > capacity_kept) thread_parser.reset();
    return translate(code);
  }
  *token_bound = static_cast<size_t>(thread_parser->doc.tape[0] & 0x00FFFFFFFFFFFFFFull);
  return CSIMDJSON_OK;
}

extern "C" int32_t csimdjson_take(csimdjson_token *tokens, size_t *token_count, uint8_t *arena, size_t *arena_count,
                                  uint32_t depth_max) {
  *token_count = 0;
  *arena_count = 0;
  if (!thread_parser) return CSIMDJSON_EMPTY;
  Walk walk{};
  walk.tokens = tokens;
  walk.arena = arena;
  int32_t code;
  try {
    code = walk_tape(walk, thread_parser->doc, depth_max);
  } catch (const std::bad_alloc &) {
    code = CSIMDJSON_MEMORY;
  }
  if (thread_parser->capacity() > capacity_kept) thread_parser.reset();
  if (code != CSIMDJSON_OK) return code;
  *token_count = walk.count;
  *arena_count = walk.used;
  return CSIMDJSON_OK;
}
