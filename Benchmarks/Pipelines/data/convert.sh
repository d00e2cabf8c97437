#!/bin/sh
# convert.sh MONTH: sorts the month's rows and separates their columns by tabs.
set -e
mkdir -p out
sort "in/$1.csv" | tr ',' '\t' > "out/$1.tsv"
echo "convert $1" >> ran.log
