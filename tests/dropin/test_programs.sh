#!/bin/sh
# test_programs.sh TRIGON - the programs in examples/programs compute over the drop-in library. A program whose
# interpreter is missing is skipped; without both the exit status is 77.
. "$(dirname "$0")/../cli/cli_support.sh"
programs=$source_folder/examples/programs
unset LD_PRELOAD

# computes SYMBOLS COMMAND...: the program succeeds, and Trigon has computed these symbols.
computes() {
  symbols=$1
  shift
  run 0 run --log -- "$@" --quick && has out "ok"
  for symbol in $symbols; do
    that "$symbol is not computed by Trigon" awk -v symbol="$symbol" '
      $2 == symbol && $3 > 0 && $5 == 0 { found = 1 } END { exit !found }' err
  done
}

if command -v Rscript >/dev/null; then
  computes "dpotrf_ dtrsm_ dpotri_ dsyrk_" Rscript --vanilla "$programs/gaussian_process.R"
else
  echo "skipped: there is no Rscript; gaussian_process.R is left out"
fi
if command -v octave-cli >/dev/null; then
  computes "dpotrf_ dtrtrs_ dpotrs_ dsyrk_" octave-cli --quiet --no-init-file --no-history "$programs/ridge.m"
else
  echo "skipped: there is no octave-cli; ridge.m is left out"
fi
[ "$checks" -gt 0 ] || exit 77
finish
