// The implementation of Boost.JSON, once: elsewhere <boost/json.hpp> only declares it.
#include <boost/json/src.hpp>
