#!/bin/sh
# test_cli_run.sh TRIGON PROGRAM - the command run. PROGRAM calls BLAS and LAPACK, one call of so many as it is told.
. "$(dirname "$0")/../cli/cli_support.sh"
program=$2

run 2 run && has err "which program?"
run 2 run -- && has err "which program?"
run 2 run --logs true && has err "unknown option '--logs'; did you mean '--log'?"
run 127 run no-such-program && has err "cannot start no-such-program: No such file or directory"
run 126 run / && has err "cannot start /: Permission denied"
run 0 run true && that "output" empty out
run 1 run false
run 3 run -- sh -c 'exit 3' && that "errors" empty err
run 0 run sh -c 'echo "$LD_PRELOAD"' && has out "/libtrigon-blas.so:" && has out "/libtrigon-scipy.so:"
LD_PRELOAD=libm.so.6 run 0 run sh -c 'echo "$LD_PRELOAD"' && has out "/libtrigon-scipy64.so:libm.so.6"
run 0 run --int64 sh -c 'echo "$LD_PRELOAD"' && has out "/libtrigon-blas64.so"
run 0 run --log -- "$program" 500 && has err "by Trigon" && has err "dpotrf_" && has err "zgemmt_"
run 0 run "$program" 500 --log && that "errors" empty err
TRIGON_BLAS_LOG=0 run 0 run "$program" 500 && that "errors" empty err
finish
