#!/bin/sh
# test_examples.sh - the examples print what README and docs/simulated-gpu.md say.
# Usage: test_examples.sh BUILD SOURCE SANITIZED. SANITIZED is ON for a build with sanitizers.
set -eu
. "$(dirname "$0")/install_support.sh"
sanitized=$3
page=$source/docs/simulated-gpu.md

has "$("$build/examples/posv")" "info 0, x = 1 2"

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
if [ "$sanitized" = OFF ]; then # programs over a sanitized library need the sanitizers, too
  commands=$(sed -n '/^cc /,/^```/p' "$page" | sed "/^\`\`\`/d; s,build/release,$build,g; s,build/graph,$place/graph,g")
  cd "$source"
  has "$(sh -ec "$commands")" "replay 3: info 0"
fi
finish
