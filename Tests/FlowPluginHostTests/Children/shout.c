// A plugin program in plain C, written from the protocol page alone. It finds each value in a line by the text before it.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long number_behind(const char *line, const char *key) {
  const char *found = strstr(line, key);
  return found ? strtol(found + strlen(key), NULL, 10) : -1;
}

static void run(long id, char *line) {
  static const char key[] = "\"text\":\"";
  char *text = strstr(line, key);
  if (!text || text[strlen(key)] == '"') {
    printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"error\":{\"code\":\"nothing-to-say\",\"message\":\"text is empty\"}}\n", id);
    return;
  }
  printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"outputs\":{\"text\":\"", id);
  for (text += strlen(key); *text && *text != '"'; text++) putchar(toupper((unsigned char)*text));
  printf("!\"}}}\n");
}

int main(void) {
  char *line = NULL;
  size_t capacity = 0;
  while (getline(&line, &capacity, stdin) > 0) {
    long id = number_behind(line, "\"id\":");
    if (strstr(line, "\"method\":\"run\"")) {
      run(id, line);
    } else if (strstr(line, "\"method\":\"initialize\"")) {
      printf(
          "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"name\":\"shout\",\"version\":\"1.0.0\","
          "\"actions\":[\"shout.text\"]}}\n",
          id);
    } else if (strstr(line, "\"method\":\"shutdown\"")) {
      break;
    }
    fflush(stdout);
  }
  free(line);
  return 0;
}
