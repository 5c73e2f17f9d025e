// Walks simdjson's tape once and writes it as flat tokens; checks what the DOM parser does not.
#include "CSimdjson.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include <simdjson.h>

namespace {

constexpr size_t depth_limit = 72;
// A workspace that has grown beyond this is given back after use, so that one huge text does not cost memory for ever.
constexpr size_t capacity_kept = 4u << 20;
constexpr uint64_t payload_mask = 0x00FFFFFFFFFFFFFFull;

// What a thread keeps between texts: everything here only grows, so that a text of usual size allocates nothing.
struct Workspace {
  simdjson::dom::parser parser;
  // The text with the padding simdjson reads beyond its end.
  std::vector<uint8_t> padded;
  std::vector<csimdjson_token> tokens;
  // Of the text parsed last.
  csimdjson_sizes sizes = {0, 0, 0};
};

thread_local std::unique_ptr<Workspace> thread_workspace;

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
  // The first eight bytes, shorter names shifted: decides nearly every comparison by itself.
  uint64_t head;

  uint64_t hash() const { return (head + length) * 0x9E3779B97F4A7C15ull; }
};

uint64_t eight_bytes(const uint8_t *bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// `start` must have eight bytes to read, whatever the length: the string buffer has simdjson's padding after the last
// string.
Key key_of(const uint8_t *start, uint32_t length) {
  const uint64_t head = eight_bytes(start);
  if (length >= 8) return {start, length, head};
  // Twice, because a shift by all 64 bits means nothing.
  return {start, length, head << (4 * (8 - length)) << (4 * (8 - length))};
}

Key key_at(const csimdjson_token &token, const uint8_t *strings) {
  return key_of(strings + (token.payload >> 32), static_cast<uint32_t>(token.payload));
}

// Compares the last eight bytes of two keys of the same length, which has to be eight or more.
bool same_end(const Key &left, const Key &right) {
  return eight_bytes(left.start + left.length - 8) == eight_bytes(right.start + right.length - 8);
}

bool same(const Key &left, const Key &right) {
  if (left.head != right.head || left.length != right.length) return false;
  return left.length <= 8 || std::memcmp(left.start + 8, right.start + 8, left.length - 8) == 0;
}

bool before(const Key &left, const Key &right) {
  if (left.length != right.length) return left.length < right.length;
  return std::memcmp(left.start, right.start, left.length) < 0;
}

}  // namespace

// An open hash table, mostly empty, so that nearly every search looks at one place.
struct csimdjson_names {
  static constexpr size_t places = 256;

  struct Place {
    Key key;
    // 0: an empty place.
    uint64_t number;
  };

  // The names' bytes, and eight more so that a head can be read of each.
  std::vector<uint8_t> text;
  Place table[places] = {};

  static size_t place(const Key &key) { return static_cast<size_t>(key.hash() >> 56); }

  // 0 if it is none of them.
  uint64_t number(const Key &key) const {
    const Place &likely = table[place(key)];
    if (likely.number == 0) return 0;
    const bool is_it = likely.key.head == key.head && likely.key.length == key.length &&
                       (key.length <= 8 || (key.length <= 16 && same_end(likely.key, key)));
    return is_it ? likely.number : search(key);
  }

  // Not inlined: seldom needed. Ends, because there are fewer names than places.
  [[gnu::noinline]] uint64_t search(const Key &key) const {
    size_t at = place(key);
    while (table[at].number != 0 && !same(table[at].key, key)) at = (at + 1) % places;
    return table[at].number;
  }

  bool add(const Key &key, uint16_t number) {
    size_t at = place(key);
    while (table[at].number != 0) {
      if (same(table[at].key, key)) return false;
      at = (at + 1) % places;
    }
    table[at] = {key, number};
    return true;
  }
};

namespace {

// True if two members without a number have the same name. Few are compared with each other; many are sorted first, so
// that no text costs more than n log n. Not inlined, as most objects have no such members.
[[gnu::noinline]] bool has_unnumbered_twice(const csimdjson_token *tokens, uint32_t object, uint32_t end,
                                            const uint8_t *strings, size_t count) {
  if (count > 24) {
    std::vector<Key> keys;
    keys.reserve(count);
    for (uint32_t at = object + 1; at < end; at = tokens[at + 1].next) {
      if (tokens[at].name == 0) keys.push_back(key_at(tokens[at], strings));
    }
    std::sort(keys.begin(), keys.end(), before);
    return std::adjacent_find(keys.begin(), keys.end(), same) != keys.end();
  }
  Key few[24];
  uint32_t filled = 0;
  // One bit for each key, by its hash: while bits do not meet, keys cannot be the same.
  uint64_t seen = 0;
  for (uint32_t at = object + 1; at < end; at = tokens[at + 1].next) {
    if (tokens[at].name != 0) continue;
    const Key key = key_at(tokens[at], strings);
    const uint64_t bit = 1ull << (key.hash() >> 58);
    for (uint32_t i = 0; (seen & bit) != 0 && i < filled; i++) {
      if (same(few[i], key)) return true;
    }
    seen |= bit;
    few[filled++] = key;
  }
  return false;
}

// Numbers the members of an object by their names; false if a name is there twice. Not inlined: the walk needs its
// registers.
[[gnu::noinline]] bool number_members(const csimdjson_names &names, csimdjson_token *tokens, uint32_t object,
                                      uint32_t end, const uint8_t *strings) {
  static_assert(CSIMDJSON_NAMES_MAX < 64, "one bit for each number");
  uint64_t seen = 0;
  size_t unnumbered = 0;
  for (uint32_t at = object + 1; at < end; at = tokens[at + 1].next) {
    const uint64_t number = names.number(key_at(tokens[at], strings));
    const uint64_t bit = 1ull << number;
    tokens[at].name = static_cast<uint16_t>(number);
    if (number == 0) {
      unnumbered++;
    } else if ((seen & bit) != 0) {
      return false;
    }
    seen |= bit;
  }
  return unnumbered < 2 || !has_unnumbered_twice(tokens, object, end, strings, unnumbered);
}

struct Walk {
  csimdjson_token *tokens;
  const uint8_t *strings;
  const csimdjson_names &names;
  uint32_t depth_max;
  // False: no string can hold a NUL, which only an escape writes.
  bool has_escapes;
  uint32_t count = 0;
  size_t strings_used = 0;
};

// The tape's own count of children stops at 24 bits; beyond that they are counted. A child of an array, or a key of an
// object, adds one; values of keys do not count again.
uint64_t children(const csimdjson_token *tokens, uint32_t container, uint32_t end, uint64_t count_on_tape) {
  if (count_on_tape < 0xFFFFFF) return count_on_tape;
  const uint32_t to_child = tokens[container].kind == CSIMDJSON_OBJECT ? 1 : 0;
  uint64_t counted = 0;
  for (uint32_t at = container + 1; at < end; at = tokens[at + to_child].next) counted++;
  return counted;
}

int32_t walk_tape(Walk &walk, const uint64_t *tape) {
  csimdjson_token *const tokens = walk.tokens;
  const uint8_t *const strings = walk.strings;
  uint32_t open[depth_limit];
  uint32_t depth = 0;
  uint32_t count = 0;
  const size_t end = static_cast<size_t>(tape[0] & payload_mask);
  const auto add = [&](uint16_t kind, uint64_t payload) {
    tokens[count] = {kind, 0, count + 1, payload};
    count++;
  };
  for (size_t at = 1; at + 1 < end; at++) {
    const uint64_t payload = tape[at] & payload_mask;
    const char kind = static_cast<char>(tape[at] >> 56);
    switch (kind) {
      case '"': {
        // Strings stay where simdjson put them: a length of four bytes, the text, a NUL.
        uint32_t length;
        std::memcpy(&length, strings + payload, sizeof length);
        const uint64_t start = payload + sizeof length;
        if (walk.has_escapes && std::memchr(strings + start, 0, length) != nullptr) return CSIMDJSON_NUL;
        add(CSIMDJSON_STRING, (start << 32) | length);
        walk.strings_used = start + length;
        break;
      }
      case '{':
      case '[':
        if (depth >= walk.depth_max || depth >= depth_limit) return CSIMDJSON_DEPTH;
        open[depth++] = count;
        add(kind == '{' ? CSIMDJSON_OBJECT : CSIMDJSON_ARRAY, payload >> 32);
        break;
      case '}':
      case ']': {
        const uint32_t container = open[--depth];
        tokens[container].payload = children(tokens, container, count, tokens[container].payload);
        tokens[container].next = count;
        if (kind == '}' && !number_members(walk.names, tokens, container, count, strings)) return CSIMDJSON_DUPLICATE;
        break;
      }
      case 'l': add(CSIMDJSON_INTEGER, tape[++at]); break;
      case 'd': add(CSIMDJSON_DOUBLE, tape[++at]); break;
      case 't': add(CSIMDJSON_TRUE, 0); break;
      case 'f': add(CSIMDJSON_FALSE, 0); break;
      case 'n': add(CSIMDJSON_NULL, 0); break;
      case 'u': return CSIMDJSON_NUMBER;
      default: return CSIMDJSON_SYNTAX;
    }
  }
  walk.count = count;
  return CSIMDJSON_OK;
}

int32_t parse(Workspace &work, const uint8_t *bytes, size_t count, uint32_t depth_max, const csimdjson_names &names) {
  if (work.padded.size() < count + simdjson::SIMDJSON_PADDING) {
    work.padded.resize(count + std::max<size_t>(count, 4096) + simdjson::SIMDJSON_PADDING);
  }
  std::memcpy(work.padded.data(), bytes, count);
  std::memset(work.padded.data() + count, 0, simdjson::SIMDJSON_PADDING);
  const auto code = work.parser.parse(work.padded.data(), count, false).error();
  if (code != simdjson::SUCCESS) return translate(code);
  const uint64_t *tape = work.parser.doc.tape.get();
  // No token takes less than one place of the tape.
  const size_t bound = static_cast<size_t>(tape[0] & payload_mask);
  if (work.tokens.size() < bound) work.tokens.resize(bound + bound / 2);
  Walk walk{work.tokens.data(), work.parser.doc.string_buf.get(), names, depth_max,
            std::memchr(bytes, '\\', count) != nullptr};
  const int32_t walked = walk_tape(walk, tape);
  work.sizes = {walk.count, walk.strings_used, walk.has_escapes ? 1 : 0};
  return walked;
}

void give_back_if_grown() {
  if (thread_workspace && thread_workspace->padded.size() > capacity_kept) thread_workspace.reset();
}

}  // namespace

extern "C" const csimdjson_names *csimdjson_names_create(const uint8_t *text, size_t count) {
  try {
    auto names = std::make_unique<csimdjson_names>();
    names->text.assign(text, text + count);
    names->text.resize(count + 8);
    uint16_t number = 0;
    size_t start = 0;
    for (size_t at = 0; at < count; at++) {
      if (text[at] != '\n') continue;
      const size_t length = at - start;
      if (length == 0 || length > 255 || number == CSIMDJSON_NAMES_MAX) return nullptr;
      if (!names->add(key_of(names->text.data() + start, static_cast<uint32_t>(length)), ++number)) return nullptr;
      start = at + 1;
    }
    return start == count ? names.release() : nullptr;
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

extern "C" int32_t csimdjson_parse(const uint8_t *bytes, size_t count, uint32_t depth_max, const csimdjson_names *names,
                                   csimdjson_sizes *sizes) {
  *sizes = {0, 0, 0};
  if (count == 0 || bytes == nullptr || names == nullptr) return CSIMDJSON_EMPTY;
  // The string buffer takes up to 5/3 of the text, and places in it have 32 bits.
  if (count > INT32_MAX) return CSIMDJSON_MEMORY;
  int32_t code;
  try {
    if (!thread_workspace) {
      auto workspace = std::make_unique<Workspace>();
      if (workspace->parser.allocate(4096, depth_limit) != simdjson::SUCCESS) return CSIMDJSON_MEMORY;
      thread_workspace = std::move(workspace);
    }
    code = parse(*thread_workspace, bytes, count, depth_max, *names);
  } catch (const std::bad_alloc &) {
    code = CSIMDJSON_MEMORY;
  }
  if (code != CSIMDJSON_OK) {
    give_back_if_grown();
    return code;
  }
  *sizes = thread_workspace->sizes;
  return CSIMDJSON_OK;
}

extern "C" void csimdjson_take(csimdjson_token *tokens, uint8_t *strings) {
  if (!thread_workspace) return;
  const csimdjson_sizes &sizes = thread_workspace->sizes;
  std::memcpy(tokens, thread_workspace->tokens.data(), sizes.token_count * sizeof *tokens);
  std::memcpy(strings, thread_workspace->parser.doc.string_buf.get(), sizes.string_count);
  give_back_if_grown();
}
