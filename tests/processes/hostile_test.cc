// What strangers send to the ports of a run, and what people mistype: one clear line each, and the
// run goes on.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>

#include "proto/clock.pb.h"
#include "tests/processes/process_world.h"
#include "tests/processes/strangers.h"

namespace fencepost::test {
namespace {

const std::string kBinaries = FENCEPOST_BINARIES;

// A clock alone, which takes whoever comes.
class LonelyClock : public testing::Test {
 protected:
  LonelyClock() {
    pid_ = fork();
    if (pid_ == 0) {
      const std::string program = kBinaries + "/clock";
      const std::string port_file = directory_.path() + "/port";
      freopen((directory_.path() + "/log").c_str(), "w", stderr);
      freopen("/dev/null", "w", stdout);
      execl(program.c_str(), "clock", "--out", directory_.path().c_str(), "--port-file",
            port_file.c_str(), nullptr);
      _exit(127);
    }
    EXPECT_TRUE(directory_.eventually([this] {
      const std::string port = directory_.text_of("port");
      address_ = "127.0.0.1:" + port.substr(0, port.find('\n'));
      return port.find('\n') != std::string::npos;
    }));
  }
  ~LonelyClock() override {
    kill(pid_, SIGTERM);
    int status = 0;
    waitpid(pid_, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "the clock did not survive";
  }
  bool log_has(const std::string& words) const {
    return directory_.eventually(
        [&] { return directory_.text_of("log").find(words) != std::string::npos; });
  }
  static std::string hello(const std::string& name, const std::string& role) {
    wire::ClockMessage message;
    message.mutable_hello()->set_name(name);
    message.mutable_hello()->set_role(role);
    return framed(message.SerializeAsString());
  }

  RunDirectory directory_;
  pid_t pid_ = -1;
  std::string address_;
};

TEST_F(LonelyClock, GarbageClosesThatConnectionOnly) {
  talk(address_, "GET / HTTP/1.1\r\nHost: clock\r\n\r\n");
  EXPECT_TRUE(log_has("over the limit"));
  talk(address_, framed("\xff\xff\xff\xff"));
  EXPECT_TRUE(log_has("a malformed message"));
  talk(address_, framed("").substr(0, 2));
  EXPECT_TRUE(log_has("closed in the middle of a message"));
  talk(address_, framed(""));
  EXPECT_TRUE(log_has("its first message is no Hello"));
}

TEST_F(LonelyClock, OddNamesAndRolesAreRefusedWithTheReason) {
  EXPECT_NE(talk(address_, hello("", "broker")).find("a name has"), std::string::npos);
  EXPECT_NE(talk(address_, hello("../B1", "broker")).find("a name has"), std::string::npos);
  EXPECT_NE(talk(address_, hello(std::string(65, 'x'), "broker")).find("a name has"),
            std::string::npos);
  EXPECT_NE(talk(address_, hello("B1", "emperor")).find("unknown role"), std::string::npos);
}

TEST_F(LonelyClock, SecondMessageBeforeWelcomeEndsTheConnection) {
  talk(address_, hello("C1", "consumer") + hello("C1", "consumer"));
  EXPECT_TRUE(log_has("C1"));
}

TEST(CommandLine, UnreachableClockIsNamed) {
  const auto result = run_command(kBinaries +
                                  "/consumer --name C1 --clock 127.0.0.1:1 --connect-timeout 0.1"
                                  " -X bootstrap.servers=B1:19092 -X app.assign=orders");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.output.find("127.0.0.1:1"), std::string::npos) << result.output;
}

TEST(CommandLine, BadInputIsOneLineAndExitTwo) {
  const struct {
    std::string arguments;
    std::string part;
  } kRows[] = {
      {"consumer --name C1 --clock 127.0.0.1:1 -X sesion.timeout.ms=1", "session.timeout.ms"},
      {"consumer --name C1 --clock 127.0.0.1:1 --config /nowhere/c.properties", "/nowhere"},
      {"broker --name B1 --clock 127.0.0.1:1 --listen nowhere", "nowhere"},
      {"consumer --name C1", "--clock is required"},
      {"clock --plan /nowhere/plan.bin", "/nowhere/plan.bin"},
      {"clock --plan /etc/passwd", "/etc/passwd"},
      {"clock --listen 1.2.3", "1.2.3"},
      {"clock --pace -5", "--pace"},
  };
  for (const auto& row : kRows) {
    const RunDirectory directory;
    const auto result =
        run_command("cd " + directory.path() + " && " + kBinaries + "/" + row.arguments);
    EXPECT_EQ(result.exit_code, 2) << row.arguments << "\n" << result.output;
    EXPECT_NE(result.output.find(row.part), std::string::npos) << result.output;
  }
}

TEST(CommandLine, HelpTeaches) {
  for (const std::string program : {"clock", "broker", "consumer", "producer"}) {
    const auto result = run_command(kBinaries + "/" + program + " --help");
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_NE(result.output.find("--clock"), std::string::npos) << result.output;
  }
  const auto properties = run_command(kBinaries + "/consumer --help-properties");
  EXPECT_EQ(properties.exit_code, 0);
  EXPECT_NE(properties.output.find("session.timeout.ms=45000"), std::string::npos)
      << properties.output;
}

}  // namespace
}  // namespace fencepost::test
