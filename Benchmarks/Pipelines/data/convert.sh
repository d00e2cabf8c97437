#!/bin/sh
# convert.sh MONTH: the month's rows sorted and parted by tabs.
set -e
mkdir -p out
sort "in/$1.csv" | tr ',' '\t' > "out/$1.tsv"
echo "convert $1" >> ran.log
