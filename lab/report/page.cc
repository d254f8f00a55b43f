#include "lab/report/page.h"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "lab/report/columns.h"
#include "lab/report/page_parts.h"
#include "lab/report/report_data.h"

namespace fencepost::lab {
namespace {

// In the page's own markup; each stands there once.
constexpr std::string_view kTitle = "{{title}}";
constexpr std::string_view kStyle = "{{style}}";
constexpr std::string_view kData = "{{data}}";
constexpr std::string_view kScript = "{{script}}";

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
  all["runs"] = std::move(runs);
  const std::string data = json_for_page(all);
  const std::pair<std::string_view, std::string_view> parts[] = {
      {kTitle, title}, {kStyle, page_style()}, {kData, data}, {kScript, page_script()}};
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
