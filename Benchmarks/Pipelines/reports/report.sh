#!/bin/sh
# report.sh NAME creates the page of a note. report.sh index creates the list of all pages.
set -e
mkdir -p out
if [ "$1" = index ]; then
  for page in out/*.html; do basename "$page" .html; done | sort > out/index.txt
else
  { echo "<h1>$(head -n 1 "notes/$1.txt")</h1>"; echo "<p>$(wc -w < "notes/$1.txt" | tr -d ' ') words</p>"; } > "out/$1.html"
fi
echo "$1" >> ran.log
