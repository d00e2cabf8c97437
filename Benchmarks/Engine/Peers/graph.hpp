// The graphs on which every scheduler is measured, the same as in Sources/EngineBenchmark/Shape.swift.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

inline std::vector<std::vector<int>> needs_of(const std::string &shape, int count) {
  std::vector<std::vector<int>> needs(shape == "wavefront" ? 300 * 300 : count);
  uint64_t state = 42;
  auto random = [&](int bound) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<int>((state >> 33) % static_cast<uint64_t>(bound));
  };
  const int width = count / 100 > 1 ? count / 100 : 1;
  for (int index = 0; index < static_cast<int>(needs.size()); index++) {
    auto &list = needs[index];
    if (shape == "chain" && index > 0) list.push_back(index - 1);
    if (shape == "fan" && index > 0) list.push_back(0);
    if (shape == "tree" && index > 0) list.push_back((index - 1) / 2);
    if (shape == "wavefront") {
      if (index >= 300) list.push_back(index - 300);
      if (index % 300 > 0) list.push_back(index - 1);
    }
    if (shape == "layers" && index / width > 0) {
      const int layer = index / width;
      const int first = (layer - 1) * width + random(width);
      const int second = (layer - 1) * width + random(width);
      list.push_back(first);
      if (second != first) list.push_back(second);
    }
  }
  return needs;
}
