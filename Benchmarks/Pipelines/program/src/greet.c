#include "greet.h"

const char *greeting(int count) { return count > 1 ? "hello again" : "hello"; }
