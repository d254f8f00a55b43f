#include "common/properties.h"
