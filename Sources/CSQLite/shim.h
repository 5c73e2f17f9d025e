// SQLite for Swift: the header, and typed wrappers for its variadic calls and macro constants.
#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H
#include <sqlite3.h>
#include <sys/vfs.h>

// SQLITE_TRANSIENT is a cast macro, which Swift does not import: bind with a copy.
static inline int csqlite_bind_text_copy(sqlite3_stmt *statement, int index, const char *bytes, int count) {
  // A null address would be NULL, not an empty text.
  return sqlite3_bind_text(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

// sqlite3_config is variadic. Has an effect only before SQLite is first used in the process.
static inline int csqlite_disable_memory_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

// sqlite3_db_config is variadic: stop the last closing connection from deleting nothing but its own work (defensive
// mode refuses writes to shadow tables and to the file by SQL).
static inline int csqlite_set_defensive(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}

// The type of the file system at `path`, as statfs(2) names it; -1 if it cannot be told.
static inline long csqlite_file_system_type(const char *path) {
  struct statfs about;
  return statfs(path, &about) == 0 ? (long)about.f_type : -1;
}
#endif
