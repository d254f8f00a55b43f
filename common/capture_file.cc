#include "common/capture_file.h"

#include <openssl/evp.h>
#include <spdlog/fmt/fmt.h>

#include <array>
#include <filesystem>
#include <stdexcept>

#include "common/check.h"

namespace fencepost {
namespace {

constexpr std::size_t kFrameBytesMax = 64U * 1024U * 1024U;
constexpr std::size_t kBufferedBytesMax = 256U * 1024U;
constexpr std::size_t kLengthBytes = 4;

[[noreturn]] void fail(const std::string& path, std::uint64_t offset, std::string_view what) {
  throw std::runtime_error(fmt::format("{}: byte {}: {}", path, offset, what));
}

[[noreturn]] void fail_cut_short(const std::string& path, std::uint64_t offset,
                                 std::string_view what) {
  throw CaptureCutShort(fmt::format("{}: byte {}: {}", path, offset, what));
}

std::uint32_t big_endian(const std::array<char, kLengthBytes>& bytes) {
  std::uint32_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

}  // namespace

struct Sha256::Context {
  EVP_MD_CTX* digest = EVP_MD_CTX_new();

  Context() { CHECK(digest != nullptr); }
  ~Context() { EVP_MD_CTX_free(digest); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  CHECK(EVP_DigestInit_ex(context_->digest, EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() = default;

void Sha256::update(std::string_view bytes) {
  CHECK(EVP_DigestUpdate(context_->digest, bytes.data(), bytes.size()) == 1);
}

std::string Sha256::hex() const {
  // Finishing a digest ends it, so a copy is finished and the original goes on.
  const Context copy;
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int size = 0;
  CHECK(EVP_MD_CTX_copy_ex(copy.digest, context_->digest) == 1);
  CHECK(EVP_DigestFinal_ex(copy.digest, bytes.data(), &size) == 1);
  return fmt::format("{:02x}", fmt::join(bytes.begin(), bytes.begin() + size, ""));
}

void append_framed(std::string& out, const wire::CaptureRecord& record) {
  const std::size_t size = record.ByteSizeLong();
  CHECK(size <= kFrameBytesMax, "a capture record of {} bytes", size);
  for (unsigned shift = 32; shift != 0; shift -= 8) {
    out.push_back(static_cast<char>(size >> (shift - 8) & 0xff));
  }
  CHECK(record.AppendToString(&out));
}

CaptureWriter::CaptureWriter(const std::string& path) : path_(path) {
  if (path_.empty()) return;
  file_.open(path_, std::ios::binary | std::ios::trunc);
  if (!file_) throw std::runtime_error(path_ + ": cannot be created");
}

CaptureWriter::~CaptureWriter() {
  // Best effort: who must know whether the file is whole calls flush().
  try {
    flush();
  } catch (const std::runtime_error&) {
    return;
  }
}

void CaptureWriter::append(const wire::CaptureRecord& record) {
  const std::size_t before = buffer_.size();
  append_framed(buffer_, record);
  hash_.update(std::string_view(buffer_).substr(before));
  if (path_.empty()) {
    buffer_.clear();
  } else if (buffer_.size() >= kBufferedBytesMax) {
    flush();
  }
}

void CaptureWriter::flush() {
  if (path_.empty() || buffer_.empty()) return;
  file_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
  file_.flush();
  if (!file_) throw std::runtime_error(path_ + ": cannot be written");
}

CaptureReader::CaptureReader(const std::string& path) : path_(path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path_, ignored)) {
    throw std::runtime_error(path_ + ": is a directory, not a capture");
  }
  file_.open(path_, std::ios::binary);
  if (!file_) throw std::runtime_error(path_ + ": cannot be read");
}

std::optional<wire::CaptureRecord> CaptureReader::next() {
  std::array<char, kLengthBytes> length{};
  file_.read(length.data(), kLengthBytes);
  if (file_.bad()) fail(path_, offset_, "cannot be read");
  if (file_.gcount() == 0) return std::nullopt;
  if (file_.gcount() < std::streamsize{kLengthBytes}) {
    fail_cut_short(path_, offset_, "the file ends within the length of a record");
  }
  const std::uint32_t size = big_endian(length);
  if (size > kFrameBytesMax) {
    fail(path_, offset_, fmt::format("a record of {} bytes: this is not a capture", size));
  }
  buffer_.resize(size);
  file_.read(buffer_.data(), static_cast<std::streamsize>(size));
  if (file_.gcount() != static_cast<std::streamsize>(size)) {
    fail_cut_short(path_, offset_, "the file ends within a record");
  }
  wire::CaptureRecord record;
  if (!record.ParseFromString(buffer_) || record.what_case() == wire::CaptureRecord::WHAT_NOT_SET) {
    fail(path_, offset_, "a record that cannot be understood");
  }
  if (record.has_tick()) {
    if (record.tick() < tick_) fail(path_, offset_, "a tick that is before the one preceding it");
    tick_ = record.tick();
  }
  offset_ += kLengthBytes + size;
  return record;
}

}  // namespace fencepost
