#include "common/host/row_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "common/row_digest.h"

namespace fencepost {
namespace {

class RowStoreTest : public testing::Test {
 protected:
  RowStoreTest() {
    std::string pattern = std::filesystem::temp_directory_path() / "fencepost-rows-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) ADD_FAILURE() << pattern;
    directory_ = pattern;
  }
  ~RowStoreTest() override { std::filesystem::remove_all(directory_); }

  std::string file() const { return directory_ / "B1.db"; }
  static wire::StoredRow row(const std::string& topic, std::int64_t offset,
                             const std::string& batch) {
    wire::StoredRow made;
    made.set_topic(topic);
    made.set_partition(2);
    made.set_base_offset(offset);
    made.set_batch(batch);
    return made;
  }
  static void append(RowStore& store, std::int64_t tick, const wire::StoredRow& made) {
    store.append(Tick(tick), std::span(&made, 1));
  }

  std::filesystem::path directory_;
};

TEST_F(RowStoreTest, GivesBackWhatWasStoredInOrder) {
  const std::string binary("\0\xff\0x", 4);
  {
    RowStore store(file(), "run");
    append(store, 3, row("orders", 0, binary));
    append(store, 5, row("", -1, ""));
  }
  const RowStore again(file(), "run");
  const auto rows = again.load();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].SerializeAsString(), row("orders", 0, binary).SerializeAsString());
  EXPECT_EQ(rows[1].SerializeAsString(), row("", -1, "").SerializeAsString());
}

TEST_F(RowStoreTest, ForgetsWhatWasStoredAfterTheLastAcceptedStep) {
  RowStore store(file(), "run");
  append(store, 3, row("orders", 0, "a"));
  append(store, 4, row("orders", 1, "b"));
  store.forget_after(Tick(3));
  ASSERT_EQ(store.load().size(), 1U);
  store.forget_after(std::nullopt);
  EXPECT_TRUE(store.load().empty());
}

TEST_F(RowStoreTest, RemovesWhatAnAcceptedStepHasDeleted) {
  RowStore store(file(), "run");
  for (int offset = 0; offset < 4; ++offset) append(store, offset, row("orders", offset, "a"));
  append(store, 4, row("orders", 3, ""));  // the log begins at 3
  EXPECT_EQ(store.load().size(), 5U) << "the step may still be void";
  append(store, 5, row("orders", 4, "b"));
  EXPECT_EQ(store.load().size(), 3U);
  append(store, 6, row("orders", 5, ""));
  append(store, 7, row("orders", 5, "c"));
  EXPECT_EQ(store.load().size(), 2U) << "the last deletion, and what came behind it";
}

TEST_F(RowStoreTest, RemovesWhatIsObsoleteWhenTheNodeStepsAgain) {
  RowStore store(file(), "run");
  append(store, 1, row("offsets", 0, "a"));
  const wire::StoredRow second = row("offsets", 1, "b");
  store.append(Tick(2), std::span(&second, 1), {{"offsets", 2, 0}});
  EXPECT_EQ(store.load().size(), 2U);
  append(store, 3, row("offsets", 2, "c"));
  EXPECT_EQ(store.load().size(), 2U);
  EXPECT_EQ(store.load()[0].base_offset(), 1);
}

TEST_F(RowStoreTest, RefusesTheDatabaseOfAnotherRunAndNamesIt) {
  { RowStore store(file(), "monday"); }
  try {
    RowStore store(file(), "tuesday");
    FAIL();
  } catch (const StorageError& error) {
    EXPECT_NE(std::string(error.what()).find(file()), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("monday"), std::string::npos);
  }
}

TEST_F(RowStoreTest, RefusesWhatIsNoDatabase) {
  std::ofstream(file()) << "this is a text, and long enough to be none of SQLite's headers\n";
  EXPECT_THROW(RowStore(file(), "run"), StorageError);
  EXPECT_THROW(RowStore(directory_.string(), "run"), StorageError);
  EXPECT_THROW(RowStore(directory_ / "absent" / "B1.db", "run"), StorageError);
}

TEST(RowDigest, DependsOnEveryFieldAndOnOrder) {
  const auto digest = [](std::initializer_list<const char*> topics) {
    std::vector<wire::StoredRow> rows;
    for (const char* topic : topics) rows.emplace_back().set_topic(topic);
    return rows_digest(rows);
  };
  EXPECT_NE(digest({"a", "b"}), digest({"b", "a"}));
  EXPECT_NE(digest({"ab", ""}), digest({"a", "b"}));
  wire::StoredRow one;
  const std::uint64_t before = rows_digest(std::span(&one, 1));
  one.set_base_offset(1);
  const std::uint64_t moved = rows_digest(std::span(&one, 1));
  one.set_base_offset(0);
  one.set_partition(1);
  EXPECT_NE(before, moved);
  EXPECT_NE(rows_digest(std::span(&one, 1)), moved);
}

}  // namespace
}  // namespace fencepost
