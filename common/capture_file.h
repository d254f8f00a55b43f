// capture.bin: CaptureRecords, each preceded by its length, 4 bytes big-endian (docs/capture.md).
// Written and read as a stream, so a capture may be larger than memory.
#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "proto/capture.pb.h"

namespace fencepost {

// Why a capture ends that says less than the run: the run was given up.
inline constexpr const char* kAborted = "aborted";

// SHA-256 of a growing sequence of bytes.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  void update(std::string_view bytes);
  // 64 lower-case hex digits of everything so far; may be called repeatedly.
  std::string hex() const;

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

// Frames a record as it stands in the file.
void append_framed(std::string& out, const wire::CaptureRecord& record);

class CaptureWriter {
 public:
  // Creates or truncates; throws std::runtime_error naming the file if it cannot be written. An
  // empty path keeps nothing but the hash.
  explicit CaptureWriter(const std::string& path);
  ~CaptureWriter();  // flushes what it can
  void append(const wire::CaptureRecord& record);
  void flush();
  std::string sha256() const { return hash_.hex(); }

 private:
  std::string path_;
  std::ofstream file_;
  std::string buffer_;
  Sha256 hash_;
};

// The file ends within a record: what comes before it is sound.
class CaptureCutShort : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class CaptureReader {
 public:
  // Throws std::runtime_error naming the file if it is absent or unreadable.
  explicit CaptureReader(const std::string& path);
  // The next record; nothing at the end. A truncated record throws CaptureCutShort, a malformed one
  // std::runtime_error; both name the file and the byte offset. `tick()` is the tick that the
  // record belongs to.
  std::optional<wire::CaptureRecord> next();
  std::int64_t tick() const { return tick_; }
  std::uint64_t offset() const { return offset_; }

 private:
  std::string path_;
  std::ifstream file_;
  std::string buffer_;
  std::int64_t tick_ = 0;
  std::uint64_t offset_ = 0;
};

}  // namespace fencepost
