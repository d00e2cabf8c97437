// Runs Taskflow with one worker, which records nothing. Prints the nanoseconds per no-op task in the fastest of 25 runs.
#include <chrono>
#include <cstdio>
#include <taskflow/taskflow.hpp>

#include "graph.hpp"

int main() {
  for (const char *shape : {"chain", "fan", "tree", "wavefront", "layers"}) {
    const auto needs = needs_of(shape, 100000);
    tf::Executor executor(1);
    tf::Taskflow taskflow;
    std::vector<tf::Task> tasks;
    for (size_t index = 0; index < needs.size(); index++) tasks.push_back(taskflow.emplace([] {}));
    for (size_t index = 0; index < needs.size(); index++)
      for (int need : needs[index]) tasks[need].precede(tasks[index]);
    double best = 1e18;
    for (int run = 0; run < 25; run++) {
      const auto start = std::chrono::steady_clock::now();
      executor.run(taskflow).wait();
      const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
      best = std::min(best, time.count() / needs.size());
    }
    std::printf("{\"row\":\"schedule\",\"scheduler\":\"Taskflow\",\"shape\":\"%s\",\"nanoseconds\":%.1f}\n", shape, best);
  }
}
