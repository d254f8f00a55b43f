#include "common/error_code.h"
