extension Range<Int> {
  /// Returns the first position that satisfies `isReached`, found by binary search, or the end of the range if none
  /// does. All later positions must satisfy it as well.
  @inline(__always)
  func partitionPoint(_ isReached: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if isReached(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
