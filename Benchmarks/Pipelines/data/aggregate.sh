#!/bin/sh
# Adds up the rows of each region over all months.
set -e
cat out/january.tsv out/february.tsv out/march.tsv | awk '{ sum[$1] += $2 } END { for (name in sum) print name "\t" sum[name] }' | sort > out/total.txt
echo aggregate >> ran.log
