#include "tests/processes/strangers.h"

#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>

#include <boost/asio/write.hpp>
#include <fstream>
#include <set>
#include <sstream>

#include "common/host/address.h"

namespace fencepost::test {

namespace asio = boost::asio;
using asio::ip::tcp;

std::string framed(const std::string& bytes) {
  std::string out;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    out.push_back(static_cast<char>(static_cast<unsigned char>(bytes.size() >> shift)));
  }
  return out + bytes;
}

Stranger::Stranger(asio::io_context& context, const std::string& address) : socket_(context) {
  boost::system::error_code error;
  socket_.connect(resolve_address(context, address), error);
  EXPECT_FALSE(error) << address << ": " << error.message();
}

void Stranger::say(const std::string& bytes) {
  boost::system::error_code closed;  // who has heard enough may hang up
  asio::write(socket_, asio::buffer(bytes), closed);
}

void Stranger::say_no_more() {
  boost::system::error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
}

std::string Stranger::hear() {
  std::string heard;
  char buffer[4096];
  boost::system::error_code error;
  while (!error) heard.append(buffer, socket_.read_some(asio::buffer(buffer), error));
  return heard;
}

std::string talk(const std::string& address, const std::string& bytes) {
  asio::io_context context;
  Stranger stranger(context, address);
  stranger.say(bytes);
  stranger.say_no_more();
  return stranger.hear();
}

std::string to_bytes(const wire::Command& command) {
  wire::ClockMessage message;
  *message.mutable_command() = command;
  return framed(message.SerializeAsString());
}

wire::Reply ask_clock(const std::string& address, const wire::Command& command) {
  asio::io_context context;
  Stranger person(context, address);
  person.say(to_bytes(command));
  const std::string heard = person.hear();
  constexpr std::size_t kLengthBytes = 4;
  wire::ClockMessage message;
  if (heard.size() < kLengthBytes || !message.ParseFromString(heard.substr(kLengthBytes)) ||
      !message.has_reply()) {
    ADD_FAILURE() << "no answer from the clock";
  }
  return message.reply();
}

namespace {

// The inodes of its sockets.
std::set<std::string> sockets_of(pid_t pid) {
  std::set<std::string> inodes;
  std::error_code gone;
  for (const auto& entry :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", pid), gone)) {
    const std::string target = std::filesystem::read_symlink(entry.path(), gone);
    constexpr std::string_view kSocket = "socket:[";
    if (!target.starts_with(kSocket)) continue;
    inodes.insert(target.substr(kSocket.size(), target.size() - kSocket.size() - 1));
  }
  return inodes;
}

}  // namespace

std::string listening_address(pid_t pid) {
  constexpr std::string_view kListening = "0A";
  const std::set<std::string> own = sockets_of(pid);
  std::ifstream table(fmt::format("/proc/{}/net/tcp", pid));
  std::string line;
  std::getline(table, line);  // its headings
  while (std::getline(table, line)) {
    std::istringstream words(line);
    std::string local;
    std::string state;
    std::string skipped;
    std::string inode;
    words >> skipped >> local >> skipped >> state;
    for (int i = 0; i < 6; ++i) words >> inode;
    if (state != kListening || !own.contains(inode)) continue;
    return fmt::format("127.0.0.1:{}", std::stoi(local.substr(local.find(':') + 1), nullptr, 16));
  }
  return "";
}

int complaints_in(const std::string& log) {
  int count = 0;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    for (const char* level : {" warning [", " error [", " critical ["}) {
      if (line.find(level) != std::string::npos) ++count;
    }
  }
  return count;
}

}  // namespace fencepost::test
