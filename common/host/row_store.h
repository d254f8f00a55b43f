// What a node has stored, in a SQLite database of its own: one row per record batch, append-only,
// each with the tick of the step that stored it; one transaction per step (DESIGN 5). Anyone can
// look inside with sqlite3: column `text` says in words what a batch holds, for people only. It
// survives the death of a process, not of the machine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/ids.h"
#include "common/node.h"
#include "proto/clock.pb.h"

struct sqlite3;
struct sqlite3_stmt;

namespace fencepost {

// Storage that cannot be opened, read or written. The message names the file.
class StorageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class RowStore {
 public:
  // Opens or creates the database. Throws StorageError if it is not ours, damaged, or of another
  // run.
  RowStore(const std::string& path, const std::string& run_id);
  ~RowStore();
  RowStore(const RowStore&) = delete;
  RowStore& operator=(const RowStore&) = delete;

  // Deletes what was stored after the last step that the clock accepted: such a step never
  // happened. Nothing was accepted yet: deletes everything.
  void forget_after(std::optional<Tick> last_committed);
  // Everything, oldest first.
  std::vector<wire::StoredRow> load() const;
  // Stores the rows of one step, all or none. Removes what earlier steps have deleted or made
  // obsolete: that the node steps again says that these steps were accepted.
  void append(Tick tick, std::span<const wire::StoredRow> rows,
              std::vector<StoredRowId> obsolete = {});

 private:
  struct CloseDatabase {
    void operator()(sqlite3* database) const;
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

  Statement prepare(const char* sql) const;
  void execute(const char* sql) const;
  void run(sqlite3_stmt* statement) const;
  void claim_for(const std::string& run_id);
  void insert(Tick tick, const wire::StoredRow& row);
  void remove_pending();
  void remove(sqlite3_stmt* statement, const StoredRowId& row) const;
  [[noreturn]] void fail() const;

  std::string path_;
  std::unique_ptr<sqlite3, CloseDatabase> database_;
  Statement begin_;
  Statement commit_;
  Statement insert_;
  Statement remove_one_;
  Statement remove_before_;
  std::vector<StoredRowId> obsolete_;  // to be removed when the step is known to be accepted
  std::vector<StoredRowId> begins_;    // what stands before these, likewise
};

}  // namespace fencepost
