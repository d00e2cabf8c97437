#include "flow_clock.h"
