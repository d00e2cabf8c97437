extension Range<Int> {
  /// The first position of the range at which `isReached` holds, which it then does at all after it; the end where it
  /// never does.
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
