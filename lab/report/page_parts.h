// The files of lab/report/page, as they were when this was built (embed.cmake).
#pragma once

#include <string_view>

namespace fencepost::lab {

std::string_view page_html();
std::string_view page_style();
std::string_view page_script();

}  // namespace fencepost::lab
