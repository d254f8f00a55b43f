#include "lab/yaml_tree.h"

#include <spdlog/fmt/fmt.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

namespace fencepost::lab {
namespace {

// Ends the parse; what is wrong has been added to the mistakes.
struct Stop {};

// Builds the tree from the parser's events.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::shared_ptr<const std::string> file, Mistakes& mistakes)
      : file_(std::move(file)), mistakes_(mistakes) {}

  std::optional<YamlNode> take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnAnchor(const YAML::Mark& mark, const std::string& /*name*/) override {
    stop(mark, "anchors (&name) are not part of the scenario language");
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    stop(mark, "aliases (*name) are not part of the scenario language");
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check(mark, "", anchor);
    if (take_as_key(mark, "null")) return;
    add(node(mark, YamlNode::Kind::kNull));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check(mark, tag, anchor);
    if (take_as_key(mark, value)) return;
    YamlNode scalar = node(mark, YamlNode::Kind::kScalar);
    scalar.text = value;
    scalar.quoted = tag == "!";
    add(std::move(scalar));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    check(mark, tag, anchor);
    open(mark, YamlNode::Kind::kList);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    check(mark, tag, anchor);
    open(mark, YamlNode::Kind::kMap);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    YamlNode node;
    bool has_key = false;
    std::string key;
    Place key_place;
  };

  Place place(const YAML::Mark& mark) const { return {file_, mark.line + 1, mark.column + 1}; }

  YamlNode node(const YAML::Mark& mark, YamlNode::Kind kind) const {
    YamlNode made;
    made.kind = kind;
    made.place = place(mark);
    return made;
  }

  [[noreturn]] void stop(const YAML::Mark& mark, std::string message) {
    mistakes_.add(place(mark), std::move(message));
    throw Stop{};
  }

  void check(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != 0) stop(mark, "anchors (&name) are not part of the scenario language");
    if (!tag.empty() && tag != "?" && tag != "!") {
      stop(mark, "tags (!name) are not part of the scenario language");
    }
    if (++nodes_ > kYamlNodesMax) {
      stop(mark, fmt::format("more than {} values in one file", kYamlNodesMax));
    }
  }

  bool take_as_key(const YAML::Mark& mark, const std::string& text) {
    if (stack_.empty() || stack_.back().node.kind != YamlNode::Kind::kMap) return false;
    Frame& frame = stack_.back();
    if (frame.has_key) return false;
    frame.has_key = true;
    frame.key = text;
    frame.key_place = place(mark);
    return true;
  }

  void open(const YAML::Mark& mark, YamlNode::Kind kind) {
    const bool wants_key = !stack_.empty() && stack_.back().node.kind == YamlNode::Kind::kMap &&
                           !stack_.back().has_key;
    if (wants_key) stop(mark, "a key must be one word, not a list or a map");
    if (stack_.size() >= kYamlDepthMax) {
      stop(mark, fmt::format("nested deeper than {} levels", kYamlDepthMax));
    }
    Frame frame;
    frame.node = node(mark, kind);
    stack_.push_back(std::move(frame));
  }

  void close() {
    YamlNode done = std::move(stack_.back().node);
    stack_.pop_back();
    add(std::move(done));
  }

  void add(YamlNode value) {
    if (stack_.empty()) {
      root_ = std::move(value);
      return;
    }
    Frame& frame = stack_.back();
    if (frame.node.kind == YamlNode::Kind::kList) {
      frame.node.items.push_back(std::move(value));
      return;
    }
    frame.has_key = false;
    if (frame.node.find(frame.key) != nullptr) {
      mistakes_.add(frame.key_place, fmt::format("\"{}\" stands here twice", frame.key));
      return;
    }
    frame.node.entries.push_back({frame.key, frame.key_place, std::move(value)});
  }

  std::shared_ptr<const std::string> file_;
  Mistakes& mistakes_;
  std::vector<Frame> stack_;
  std::optional<YamlNode> root_;
  std::size_t nodes_ = 0;
};

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 && c != '\n' && c != '\t' && c != '\r';
}

// Where the first byte stands that no text file has.
std::optional<Mistake> find_binary(const std::string& text, const std::string& name) {
  const auto bad = std::find_if(text.begin(), text.end(), is_control);
  if (bad == text.end()) return std::nullopt;
  const auto line = std::count(text.begin(), bad, '\n');
  const auto start = std::find(std::make_reverse_iterator(bad), text.rend(), '\n').base();
  Mistake mistake;
  mistake.place = {std::make_shared<const std::string>(name), static_cast<int>(line) + 1,
                   static_cast<int>(bad - start) + 1};
  mistake.message = fmt::format("not a text file: it contains the byte 0x{:02x}",
                                static_cast<unsigned char>(*bad));
  return mistake;
}

bool needs_quotes(const std::string& text) {
  if (text.empty()) return true;
  return text.find_first_of(":{}[],&*#?|<>=!%@`'\"\n") != std::string::npos ||
         text.front() == ' ' || text.back() == ' ';
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

// Where a person may have meant it to be.
std::string absence_of(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::string text = "there is no such file";
  if (path.is_relative()) text += " in " + fs::current_path(error).string();
  for (const fs::path folder : {"", "scenarios", "scenarios/demos"}) {
    for (const char* const ending : {"", ".yaml"}) {
      fs::path meant = folder / path.filename();
      meant += ending;
      if (fs::is_regular_file(meant, error)) {
        return text + fmt::format("; did you mean {}?", meant.string());
      }
    }
  }
  return text;
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  for (const YamlEntry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

std::string describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kScalar:
      return fmt::format("\"{}\"", node.text.substr(0, 60));
    case YamlNode::Kind::kList:
      return "a list";
    case YamlNode::Kind::kMap:
      return "a map";
  }
  return "";
}

std::string to_flow(const YamlNode& node) {
  std::string out;
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "~";
    case YamlNode::Kind::kScalar:
      return node.quoted || needs_quotes(node.text) ? quoted(node.text) : node.text;
    case YamlNode::Kind::kList:
      for (const YamlNode& item : node.items) {
        out += (out.empty() ? "" : ", ") + to_flow(item);
      }
      return "[" + out + "]";
    case YamlNode::Kind::kMap:
      for (const YamlEntry& entry : node.entries) {
        out += (out.empty() ? "" : ", ") + entry.key + ": " + to_flow(entry.value);
      }
      return "{" + out + "}";
  }
  return out;
}

std::optional<std::string> read_text_file(const std::string& path, const std::string& name,
                                          Mistakes& mistakes) {
  const Place start{std::make_shared<const std::string>(name), 0, 0};
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    mistakes.add(start, absence_of(path));
    return std::nullopt;
  }
  if (std::filesystem::is_directory(status)) {
    mistakes.add(start, "this is a directory, not a scenario file");
    return std::nullopt;
  }
  std::ifstream in(path, std::ios::binary);
  std::string text(kYamlBytesMax + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.gcount() == 0 && (!in.is_open() || in.bad())) {
    mistakes.add(start, "the file cannot be read");
    return std::nullopt;
  }
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kYamlBytesMax) {
    mistakes.add(start, fmt::format("the file is larger than {} KiB, which no scenario needs",
                                    kYamlBytesMax / 1024));
    return std::nullopt;
  }
  if (const auto binary = find_binary(text, name)) {
    mistakes.add(binary->place, binary->message);
    return std::nullopt;
  }
  return text;
}

std::optional<YamlNode> parse_yaml(const std::string& text, const std::string& name,
                                   Mistakes& mistakes) {
  const auto file = std::make_shared<const std::string>(name);
  TreeBuilder builder(file, mistakes);
  std::istringstream in(text);
  try {
    YAML::Parser parser(in);
    if (!parser.HandleNextDocument(builder)) {
      mistakes.add({file, 1, 1}, "the file is empty");
      return std::nullopt;
    }
    std::optional<YamlNode> root = builder.take();
    TreeBuilder second(file, mistakes);
    if (parser.HandleNextDocument(second)) {
      const std::optional<YamlNode> extra = second.take();
      mistakes.add(extra ? extra->place : Place{file, 1, 1}, "a second document in the same file");
    }
    return root;
  } catch (const Stop&) {
  } catch (const YAML::Exception& error) {
    const int line = std::max(error.mark.line, 0) + 1;
    mistakes.add({file, line, std::max(error.mark.column, 0) + 1}, "YAML: " + error.msg);
  }
  return std::nullopt;
}

}  // namespace fencepost::lab
