#include "common/host/doorway.h"

#include <spdlog/fmt/fmt.h>
#include <sys/resource.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "common/host/address.h"

namespace fencepost {
namespace {

using std::chrono::steady_clock;

// When accept fails the process has run out of something: no use in asking again at once.
constexpr std::chrono::milliseconds kAcceptPause{100};

}  // namespace

Doorway::Doorway(asio::io_context& context, ProcessLog& log, std::string strangers,
                 OnFirst on_first)
    : context_(context),
      log_(log),
      strangers_called_(std::move(strangers)),
      on_first_(std::move(on_first)),
      acceptor_(context),
      accept_again_(context),
      silence_(context) {}

std::string Doorway::listen(const std::string& address) {
  const tcp::endpoint at = resolve_address(context_, address);
  boost::system::error_code error;
  const auto attempt = [&](auto&& step) {
    if (!error) step();
  };
  attempt([&] { acceptor_.open(at.protocol(), error); });
  attempt([&] { acceptor_.set_option(tcp::acceptor::reuse_address(true), error); });
  attempt([&] { acceptor_.bind(at, error); });
  attempt([&] { acceptor_.listen(tcp::acceptor::max_listen_connections, error); });
  if (error) {
    throw std::runtime_error(fmt::format("cannot listen at {}: {}", address, error.message()));
  }
  return to_string(acceptor_.local_endpoint());
}

void Doorway::open() { accept_next(); }

void Doorway::close() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  accept_again_.cancel();
  silence_.cancel();
  for (auto& [key, stranger] : strangers_) stranger.stream->close();
  strangers_.clear();
}

void Doorway::accept_next() {
  acceptor_.async_accept([this](const boost::system::error_code& error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (!error) {
      admit(std::move(socket));
      return accept_next();
    }
    log_->warn("cannot accept a connection: {}", error.message());
    accept_again_.expires_after(kAcceptPause);
    accept_again_.async_wait([this](const boost::system::error_code& cancelled) {
      if (!cancelled) accept_next();
    });
  });
}

void Doorway::admit(tcp::socket socket) {
  if (strangers_.size() >= kMaxStrangers) {
    turn_away(
        strangers_.begin()->first,
        fmt::format("there are {} connections that have not said who they are", strangers_.size()));
  }
  const Key key = next_key_++;
  Stranger& stranger = strangers_[key];
  stranger.stream = std::make_shared<FrameStream>(std::move(socket));
  stranger.since = steady_clock::now();
  stranger.stream->start([this, key](std::string_view bytes) { on_first_of(key, bytes); },
                         [this, key](const std::string& reason) { turn_away(key, reason); });
  watch_silence();
}

void Doorway::on_first_of(Key key, std::string_view bytes) {
  const auto found = strangers_.find(key);
  if (found == strangers_.end()) return;
  const std::shared_ptr<FrameStream> stream = found->second.stream;
  const std::string objection = on_first_(stream, bytes);
  if (!objection.empty()) return turn_away(key, objection);
  strangers_.erase(key);
}

void Doorway::turn_away(Key key, const std::string& reason) {
  const auto found = strangers_.find(key);
  if (found == strangers_.end()) return;
  const Stranger stranger = std::move(found->second);
  strangers_.erase(found);
  if (!stranger.noted) {
    log_->warn("closed the connection of {}: {}", strangers_called_, reason);
  }
  stranger.stream->close();
}

// One timer for all: the oldest is the first to have been silent for too long.
void Doorway::watch_silence() {
  if (watching_) return;
  const auto next = std::find_if(strangers_.begin(), strangers_.end(),
                                 [](const auto& entry) { return !entry.second.noted; });
  if (next == strangers_.end()) return;
  watching_ = true;
  silence_.expires_at(next->second.since + kPatience);
  silence_.async_wait([this](const boost::system::error_code& cancelled) {
    watching_ = false;
    if (cancelled) return;
    for (auto& [key, stranger] : strangers_) {
      if (stranger.noted || stranger.since + kPatience > steady_clock::now()) continue;
      stranger.noted = true;
      log_->warn("{} has connected and has not said who it is for {} s", strangers_called_,
                 kPatience.count());
    }
    watch_silence();
  });
}

void raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace fencepost
