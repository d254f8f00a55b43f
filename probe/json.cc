// The one place where Boost's JSON is compiled; it is used without a library.
#include <boost/json/src.hpp>
