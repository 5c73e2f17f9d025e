// SQLite for Swift: the header, and typed wrappers for its variadic calls and macro constants.
#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H
#include <sqlite3.h>
#endif
