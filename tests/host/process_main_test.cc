#include "common/host/process_main.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "tests/scratch.h"

namespace fencepost {
namespace {

constexpr int kExitUnusable = 2;

// A consumer whose configuration is found unusable: it says why, and never looks for a clock.
class ProcessCommandLine : public testing::Test {
 protected:
  ~ProcessCommandLine() override {
    for (const std::string& variable : variables_) unsetenv(variable.c_str());
  }

  void set(const std::string& variable, const std::string& value) {
    setenv(variable.c_str(), value.c_str(), 1);
    variables_.push_back(variable);
  }

  std::string complaint(std::vector<std::string> options) {
    options.insert(options.begin(), {"consumer", "--name", "C1", "--clock", "127.0.0.1:1"});
    std::vector<char*> arguments;
    for (std::string& option : options) arguments.push_back(option.data());
    testing::internal::CaptureStderr();
    const int code = process_main(static_cast<int>(arguments.size()), arguments.data(),
                                  {.role = Role::kConsumer,
                                   .factory = nullptr,
                                   .listens = false,
                                   .stores = false,
                                   .about = "A consumer."});
    EXPECT_EQ(code, kExitUnusable);
    return testing::internal::GetCapturedStderr();
  }

 private:
  std::vector<std::string> variables_;
};

TEST_F(ProcessCommandLine, LooksAtTheEnvironmentOnlyWhenTold) {
  set("KAFKA_SESION_TIMEOUT_MS", "1");
  EXPECT_EQ(complaint({}), "consumer: bootstrap.servers is not set\n");
  EXPECT_EQ(complaint({"--from-env"}),
            "consumer: KAFKA_SESION_TIMEOUT_MS: there is no property sesion.timeout.ms; did you "
            "mean KAFKA_SESSION_TIMEOUT_MS (session.timeout.ms)?\n");
}

TEST_F(ProcessCommandLine, IsStrongerThanTheEnvironmentAndThatThanAFile) {
  const test::Scratch scratch;
  const std::string file = (scratch.path() / "client.properties").string();
  std::ofstream(file) << "bootstrap.servers=B1:19092\nsession.timeout.ms=1\n";
  set("KAFKA_SESSION_TIMEOUT_MS", "2");
  const auto too_short = [](const std::string& session) {
    return "consumer: heartbeat.interval.ms (3000) must be less than session.timeout.ms (" +
           session + ")\n";
  };
  EXPECT_EQ(complaint({"--config", file}), too_short("1"));
  EXPECT_EQ(complaint({"--config", file, "--from-env"}), too_short("2"));
  EXPECT_EQ(complaint({"-X", "session.timeout.ms=3", "--config", file, "--from-env"}),
            too_short("3"));
}

}  // namespace
}  // namespace fencepost
