// Parses a file with libyaml's event parser. Prints the seconds of the fastest of five runs.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <yaml.h>

int main(int argc, char **argv) {
  FILE *file = fopen(argv[1], "rb");
  if (!file) return 1;
  fseek(file, 0, SEEK_END);
  const long size = ftell(file);
  rewind(file);
  unsigned char *text = malloc(size);
  if (fread(text, 1, size, file) != (size_t)size) return 1;
  double best = 1e9;
  for (int run = 0; run < 5; run++) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    yaml_parser_t parser;
    yaml_event_t event;
    yaml_parser_initialize(&parser);
    yaml_parser_set_input_string(&parser, text, size);
    int done = 0;
    while (!done) {
      if (!yaml_parser_parse(&parser, &event)) return 1;
      done = event.type == YAML_STREAM_END_EVENT;
      yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double time = end.tv_sec - start.tv_sec + (end.tv_nsec - start.tv_nsec) / 1e9;
    if (time < best) best = time;
  }
  printf("%.6f\n", best);
}
