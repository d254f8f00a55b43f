#include "lab/report/page.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "common/error_code.h"
#include "lab/report/columns.h"
#include "lab/report/page_parts.h"
#include "lab/report/report_data.h"
#include "probe/base64.h"

namespace fencepost::lab {
namespace {

// In the page's own markup; each stands there once.
constexpr std::string_view kTitle = "{{title}}";
constexpr std::string_view kStyle = "{{style}}";
constexpr std::string_view kData = "{{data}}";
constexpr std::string_view kCoding = "{{coding}}";
constexpr std::string_view kScript = "{{script}}";

// Data beyond this is compressed: a page of 100,000 packets would have 50 MB.
constexpr std::size_t kPlainBytesMax = 4'000'000;

std::string html_text(std::string_view text) {
  std::string out;
  for (const char character : utf8(text)) {
    switch (character) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += character;
    }
  }
  return out;
}

std::string title_of(const boost::json::array& runs) {
  std::string title;
  for (const boost::json::value& run : runs) {
    const auto* const name = run.as_object().if_contains("name");
    const std::string_view text = name == nullptr ? std::string_view() : name->as_string();
    title += (title.empty() ? "" : " and ") + std::string(text);
  }
  return html_text(title + " - Fencepost");
}

// {"25": "UNKNOWN_MEMBER_ID", ...}
boost::json::object error_names() {
  boost::json::object names;
  for (const ErrorInfo& info : all_errors()) {
    names[std::to_string(static_cast<int>(info.code))] = info.name;
  }
  return names;
}

std::string gzip_base64(const std::string& text) {
  namespace io = google::protobuf::io;
  std::string bytes;
  io::StringOutputStream out(&bytes);
  io::GzipOutputStream gzip(&out);
  io::CodedOutputStream coded(&gzip);
  coded.WriteString(text);
  coded.Trim();
  gzip.Close();
  return probe::to_base64(bytes);
}

}  // namespace

std::string json_for_page(const boost::json::value& value) {
  std::string out;
  for (const char character : boost::json::serialize(value)) {
    if (character == '<') {
      out += "\\u003c";
    } else {
      out += character;
    }
  }
  return out;
}

std::string report_page(boost::json::array runs) {
  const std::string title = title_of(runs);
  boost::json::object all;
  all["messages"] = wire_messages();
  all["errors"] = error_names();
  all["runs"] = std::move(runs);
  std::string data = json_for_page(all);
  const bool plain = data.size() <= kPlainBytesMax;
  if (!plain) data = gzip_base64(data);
  const std::pair<std::string_view, std::string_view> parts[] = {{kTitle, title},
                                                                 {kStyle, page_style()},
                                                                 {kCoding, plain ? "json" : "gzip"},
                                                                 {kData, data},
                                                                 {kScript, page_script()}};
  std::string page;
  std::string_view rest = page_html();
  for (const auto& [mark, text] : parts) {
    const std::size_t at = rest.find(mark);
    page += rest.substr(0, at);
    page += text;
    rest.remove_prefix(at + mark.size());
  }
  return page += rest;
}

}  // namespace fencepost::lab
