// report.html: one page with all that it needs, and nothing to fetch.
#pragma once

#include <boost/json/array.hpp>
#include <string>

namespace fencepost::lab {

// The page for one run, or for two that are shown beside each other.
std::string report_page(boost::json::array runs);

// JSON that may stand in a page: no text in it can end the element around it.
std::string json_for_page(const boost::json::value& value);

}  // namespace fencepost::lab
