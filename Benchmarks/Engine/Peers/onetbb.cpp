// Runs oneTBB's flow graph with one worker. Prints the nanoseconds per no-op node in the fastest of 25 runs.
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>

#include <chrono>
#include <cstdio>
#include <memory>

#include "graph.hpp"

int main() {
  using namespace oneapi::tbb;
  global_control one(global_control::max_allowed_parallelism, 1);
  for (const char *shape : {"chain", "fan", "tree", "wavefront", "layers"}) {
    const auto needs = needs_of(shape, 100000);
    flow::graph graph;
    using node = flow::continue_node<flow::continue_msg>;
    std::vector<std::unique_ptr<node>> nodes;
    for (size_t index = 0; index < needs.size(); index++)
      nodes.push_back(std::make_unique<node>(graph, [](flow::continue_msg message) { return message; }));
    for (size_t index = 0; index < needs.size(); index++)
      for (int need : needs[index]) flow::make_edge(*nodes[need], *nodes[index]);
    double best = 1e18;
    for (int run = 0; run < 25; run++) {
      const auto start = std::chrono::steady_clock::now();
      for (size_t index = 0; index < needs.size(); index++)
        if (needs[index].empty()) nodes[index]->try_put(flow::continue_msg());
      graph.wait_for_all();
      const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
      best = std::min(best, time.count() / needs.size());
    }
    std::printf("{\"row\":\"schedule\",\"scheduler\":\"oneTBB\",\"shape\":\"%s\",\"nanoseconds\":%.1f}\n", shape, best);
  }
}
