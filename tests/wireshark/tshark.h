// tshark, Wireshark without windows, as a tool of tests: reads a capture file with our dissector.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace fencepost::test {

// Is there a program of this name?
bool is_installed(const std::string& program);

struct Printed {
  int exit_code = -1;
  std::string output;
  std::string errors;  // without tshark's word about root
};

// Runs a program, found by its name, with these arguments.
Printed print(const std::string& program, const std::vector<std::string>& arguments,
              const std::filesystem::path& scratch);

class Tshark {
 public:
  // The values of a packet's fields; one that occurs several times has its values joined by ESC.
  using Row = std::map<std::string, std::string>;

  // `scratch` is a directory for what it prints. `options` come with every question.
  Tshark(std::filesystem::path file, std::filesystem::path scratch,
         std::vector<std::string> options = {});

  // The fields of all packets that a display filter lets through, in order. A word of tshark on
  // standard error fails the test.
  std::vector<Row> rows(const std::string& filter, const std::vector<std::string>& fields) const;
  std::vector<std::string> values(const std::string& filter, const std::string& field) const;
  std::size_t count(const std::string& filter) const;
  // What it prints with these arguments.
  std::string text(const std::vector<std::string>& arguments) const;
  // Nothing malformed, no error of Lua or an expert, no word of Wireshark's analysis of TCP, and no
  // wrong checksum if the options say that they are checked.
  void expect_sound() const;

 private:
  std::filesystem::path file_;
  std::filesystem::path scratch_;
  std::vector<std::string> options_;
};

}  // namespace fencepost::test

// At the beginning of a test.
#define SKIP_WITHOUT(program) \
  if (!::fencepost::test::is_installed(program)) GTEST_SKIP() << program << " is not installed"
