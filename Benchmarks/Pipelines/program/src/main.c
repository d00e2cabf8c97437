#include <stdio.h>

#include "greet.h"

int main(int count, char **arguments) {
  (void)arguments;
  puts(greeting(count));
  return 0;
}
