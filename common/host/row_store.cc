#include "common/host/row_store.h"

#include <spdlog/fmt/fmt.h>
#include <sqlite3.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "common/host/row_text.h"

namespace fencepost {
namespace {

constexpr int kBusyTimeoutMs = 5000;  // a person may be looking inside

constexpr const char* kSchema =
    "CREATE TABLE IF NOT EXISTS run (run_id TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS stored (id INTEGER PRIMARY KEY, tick INTEGER NOT NULL,"
    " topic TEXT NOT NULL, \"partition\" INTEGER NOT NULL, base_offset INTEGER NOT NULL,"
    " batch BLOB NOT NULL, text TEXT NOT NULL);"
    "CREATE INDEX IF NOT EXISTS place ON stored (topic, \"partition\", base_offset);";

// SQLite takes lengths as int; a batch comes out of a frame, which is far smaller.
int length_of(const std::string& bytes) {
  constexpr auto kMax = static_cast<std::size_t>(std::numeric_limits<int>::max());
  return static_cast<int>(std::min(bytes.size(), kMax));
}

std::string blob_of(sqlite3_stmt* statement, int column) {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
  const int length = sqlite3_column_bytes(statement, column);
  return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(length));
}

}  // namespace

void RowStore::CloseDatabase::operator()(sqlite3* database) const { sqlite3_close(database); }
void RowStore::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

RowStore::RowStore(const std::string& path, const std::string& run_id) : path_(path) {
  sqlite3* opened = nullptr;
  const int status =
      sqlite3_open_v2(path.c_str(), &opened,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  database_.reset(opened);
  if (status != SQLITE_OK) fail();
  sqlite3_busy_timeout(opened, kBusyTimeoutMs);
  execute("PRAGMA journal_mode=WAL");
  execute("PRAGMA synchronous=OFF");
  claim_for(run_id);
  begin_ = prepare("BEGIN IMMEDIATE");
  commit_ = prepare("COMMIT");
  insert_ = prepare(
      "INSERT INTO stored (tick, topic, \"partition\", base_offset, batch, text)"
      " VALUES (?, ?, ?, ?, ?, ?)");
  remove_one_ =
      prepare("DELETE FROM stored WHERE topic = ? AND \"partition\" = ? AND base_offset = ?");
  remove_before_ =
      prepare("DELETE FROM stored WHERE topic = ? AND \"partition\" = ? AND base_offset < ?");
}

RowStore::~RowStore() = default;

void RowStore::claim_for(const std::string& run_id) {
  execute("BEGIN IMMEDIATE");
  execute(kSchema);
  const Statement select = prepare("SELECT run_id FROM run");
  const int status = sqlite3_step(select.get());
  if (status == SQLITE_ROW) {
    const std::string owner = blob_of(select.get(), 0);
    if (owner != run_id) {
      throw StorageError(fmt::format(
          "{} belongs to another run ({}, this one is {}); remove it or name another file", path_,
          owner, run_id));
    }
  } else if (status == SQLITE_DONE) {
    const Statement add = prepare("INSERT INTO run (run_id) VALUES (?)");
    sqlite3_bind_text(add.get(), 1, run_id.data(), length_of(run_id), SQLITE_STATIC);
    run(add.get());
  } else {
    fail();
  }
  execute("COMMIT");
}

void RowStore::forget_after(std::optional<Tick> last_committed) {
  const Statement forget = prepare("DELETE FROM stored WHERE tick > ?");
  const std::int64_t last =
      last_committed ? last_committed->value() : std::numeric_limits<std::int64_t>::min();
  sqlite3_bind_int64(forget.get(), 1, last);
  run(forget.get());
}

std::vector<wire::StoredRow> RowStore::load() const {
  const Statement select =
      prepare("SELECT topic, \"partition\", base_offset, batch FROM stored ORDER BY id");
  std::vector<wire::StoredRow> rows;
  int status = SQLITE_ROW;
  while ((status = sqlite3_step(select.get())) == SQLITE_ROW) {
    wire::StoredRow& row = rows.emplace_back();
    row.set_topic(blob_of(select.get(), 0));
    row.set_partition(sqlite3_column_int(select.get(), 1));
    row.set_base_offset(sqlite3_column_int64(select.get(), 2));
    row.set_batch(blob_of(select.get(), 3));
  }
  if (status != SQLITE_DONE) fail();
  return rows;
}

void RowStore::append(Tick tick, std::span<const wire::StoredRow> rows,
                      std::vector<StoredRowId> obsolete) {
  if (!rows.empty()) {
    run(begin_.get());
    remove_pending();
    for (const wire::StoredRow& row : rows) insert(tick, row);
    run(commit_.get());
  }
  std::ranges::move(obsolete, std::back_inserter(obsolete_));
  for (const wire::StoredRow& row : rows) {
    if (is_deletion(row)) begins_.push_back({row.topic(), row.partition(), row.base_offset()});
  }
}

void RowStore::remove_pending() {
  for (const StoredRowId& row : obsolete_) remove(remove_one_.get(), row);
  for (const StoredRowId& row : begins_) remove(remove_before_.get(), row);
  obsolete_.clear();
  begins_.clear();
}

void RowStore::remove(sqlite3_stmt* statement, const StoredRowId& row) const {
  sqlite3_bind_text(statement, 1, row.topic.data(), length_of(row.topic), SQLITE_STATIC);
  sqlite3_bind_int(statement, 2, row.partition);
  sqlite3_bind_int64(statement, 3, row.base_offset);
  run(statement);
}

void RowStore::insert(Tick tick, const wire::StoredRow& row) {
  sqlite3_stmt* const statement = insert_.get();
  sqlite3_bind_int64(statement, 1, tick.value());
  sqlite3_bind_text(statement, 2, row.topic().data(), length_of(row.topic()), SQLITE_STATIC);
  sqlite3_bind_int(statement, 3, row.partition());
  sqlite3_bind_int64(statement, 4, row.base_offset());
  // A null pointer would be NULL, and an empty string's data is not one.
  sqlite3_bind_blob(statement, 5, row.batch().data(), length_of(row.batch()), SQLITE_STATIC);
  const std::string text = text_of(row);
  sqlite3_bind_text(statement, 6, text.data(), length_of(text), SQLITE_STATIC);
  run(statement);
}

RowStore::Statement RowStore::prepare(const char* sql) const {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database_.get(), sql, -1, &statement, nullptr) != SQLITE_OK) fail();
  return Statement(statement);
}

void RowStore::execute(const char* sql) const {
  if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

// A process may be killed at any point in here: an open transaction is then undone by SQLite.
void RowStore::run(sqlite3_stmt* statement) const {
  const int status = sqlite3_step(statement);
  if (status != SQLITE_DONE && status != SQLITE_ROW) fail();
  sqlite3_reset(statement);
}

void RowStore::fail() const {
  const char* const why = database_ ? sqlite3_errmsg(database_.get()) : "out of memory";
  throw StorageError(fmt::format("{}: {}", path_, why));
}

}  // namespace fencepost
