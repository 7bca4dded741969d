#!/bin/sh
# test_examples.sh - the examples print what their documents say, README and docs/simulated-gpu.md.
# Usage: test_examples.sh BUILD SOURCE SANITIZED. SANITIZED is ON for a build with sanitizers.
set -eu
. "$(dirname "$0")/install_support.sh"
sanitized=$3
page=$source/docs/simulated-gpu.md

has "$("$build/examples/posv")" "info 0, x = 1 2"

# vibration compares with the closed form, and fails if an error is large.
for n in 1 2 77 200; do
  printed=$("$build/examples/vibration" $n) || fail "vibration $n: $printed"
  has "$printed" "the largest error of $n values"
done
has "$printed" "   1  3.1416246      3.1416246"

# fronts solves the fronts of a list, in each class of orders and all together. A bad list ends with its name and line.
list=$place/list.csv
fronts() { "$build/examples/fronts" "$@" 2>&1; }
checks_fronts() { # checks_fronts CONTEXT
  printf '%s\n' columns,rows 40,40 1,1 17,17 3,9 130,130 >"$list"
  printed=$(fronts "$list" "$1") || fail "fronts on $1: $printed"
  lines=$(echo "$printed" | awk '!/^#/ {printf "%s %s;", $1, $2}')
  has "$lines" "1-16 2;17-32 1;33-64 1;129-256 1;all 5;"
  has "$printed" "list.csv: 5 fronts" "# each info is 0; the largest error of a solution is"
}
refuses_list() { # refuses_list CONTENT WORDS
  printf '%b' "$1" >"$list"
  if printed=$(fronts "$list"); then fail "fronts takes a bad list: $1"; fi
  has "$printed" "$2"
}
checks_fronts cpu
has "$(fronts)" "nested dissection of a grid: 4095 fronts" "all           4095  100.00"
for line in 5 5,x 5,5,5 x,5 -1,5 0,5 5,4 100001,100001 ,5 ''; do
  refuses_list "columns,rows\n1,1\n$line\n" "list.csv:3: '$line' is no front"
done
refuses_list 'columns,rows\n' "list.csv: the file has no fronts"
refuses_list '1,1\n' "list.csv:1: the first line must be 'columns,rows'"
if command -v gnuplot >/dev/null; then
  fronts >"$place/fronts.dat"
  logged "fronts.gp fails" gnuplot -c "$source/examples/fronts/fronts.gp" "$place/fronts"
  has "$(cat "$place/fronts.svg")" ">513-1024<" ">Gflop/s<"
else
  echo "skipped: no gnuplot; examples/fronts/fronts.gp is left out"
fi

# Without a GPU, graph prints a message.
if [ -e "$build/examples/graph" ]; then
  status=0
  said=$(TRIGON_BACKEND_PATH=$place "$build/examples/graph" 2>&1) || status=$?
  that "graph without a GPU: exit status $status" [ $status -eq 77 ]
  has "$said" "no graph without a GPU: "
else
  echo "skipped: graph is not built, because there is no CUDA"
fi

if [ ! -e "$build/plugins/libtrigon-sim.so" ]; then
  echo "skipped: no simulated GPU; the examples for it are left out"
  finish
  exit
fi
export TRIGON_BACKEND_PATH="$build/plugins"

# The example of the page. Addresses may differ.
without_addresses() { sed 's/0x[0-9a-f]*/ADDRESS/'; }
awk '/^```$/ {inside = 0} inside; /^\$ .*mistakes$/ {inside = 1}' "$page" | without_addresses >"$place/told"
that "the page tells nothing of mistakes" [ -s "$place/told" ]
"$build/examples/mistakes" | without_addresses >"$place/printed"
diff "$place/told" "$place/printed" || fail "mistakes prints other lines than $page"
pass

has "$("$build/examples/graph_simulated" sim:0)" "replay 3: info 0"
checks_fronts sim:0
if [ "$sanitized" = OFF ]; then # programs over a sanitized library need the sanitizers, too
  commands=$(sed -n '/^cc /,/^```/p' "$page" | sed "/^\`\`\`/d; s,build/release,$build,g; s,build/graph,$place/graph,g")
  cd "$source"
  has "$(sh -ec "$commands")" "replay 3: info 0"
fi
finish
