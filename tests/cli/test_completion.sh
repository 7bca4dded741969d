#!/bin/sh
# test_completion.sh TRIGON - the completions of bash and zsh know the options of --help.
# bash's completion must also propose the right words.
. "$(dirname "$0")/cli_support.sh"
bash_file=$source_folder/cli/completions/trigon.bash zsh_file=$source_folder/cli/completions/_trigon

# The test does the work of readline: COMP_LINE is cut at blanks, and '=' and ':' are words of their own.
cat >readline.bash <<'END'
set -u
source "$1" || exit
COMP_LINE=$2 COMP_POINT=${#2}
separated=${2//=/ = }
read -ra COMP_WORDS <<<"${separated//:/ : }"
if [[ $2 == *[[:blank:]] ]]; then COMP_WORDS+=(""); fi
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
word=${COMP_WORDS[COMP_CWORD]}
if [[ $word == [=:] ]]; then word=; fi
[[ $(complete -p trigon) == "complete -F _trigon trigon" ]] || exit
_trigon trigon "$word" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}"
END

# completes LINE WORDS...: bash must propose these words, in any order.
completes() {
  last="completion of '$1'"
  bash readline.bash "$bash_file" "$1" >out 2>err
  that "bash fails" [ $? -eq 0 ]
  that "errors" empty err
  found=$(sort out | tr '\n' ' ')
  shift
  wanted=$(printf '%s\n' "$@" | sort | tr '\n' ' ')
  that "it is '$found', not '$wanted'" [ "$found" = "$wanted" ]
}

# told ARGUMENTS...: prints the long options in the help that ARGUMENTS print.
told() { "$trigon" "$@" | grep -oE -e '--[a-z][a-z0-9-]*' | sort -u; }
words() { tr '\n' ' '; }

routines=$("$trigon" bench --help | sed -n 's/^ROUTINE: //p')
batches=$("$trigon" bench --help | sed -n 's/^Batches, NAME_batch: \([^;]*\);.*/\1/p' | sed 's/[a-z]*/&_batch/g')
commands=$("$trigon" --help | sed -n 's/^  trigon \([a-z]*\) .*/\1/p' | sort -u)
that "the commands are in the help" [ "$(echo "$commands" | words)" = "bench factor info invert run solve tune " ]

if command -v bash >/dev/null; then
  # shellcheck disable=SC2046,SC2086 # words are meant to be split
  {
    completes "trigon " $commands help --help --version
    for command in $commands; do completes "trigon $command --" $(told "$command" --help); done
    completes "trigon bench " $routines $batches
    completes "trigon help " $commands help
    completes "trigon bench potrf --" $(told bench --help)
    completes "trigon bench potrf_batch --" $(told bench potrf_batch --help)
    completes "trigon bench --max potrf_batch --sizes=fixed:9 --" $(told bench potrf_batch --help)
  }
  completes "trigon so" solve
  completes "trigon tune --routine p" potrf potrf_batch posv_batch
  completes "trigon bench pot" potrf potrs potri potrf_batch potrs_batch potri_batch
  completes "trigon bench posv_batch --vs native" native native-loop native,native-loop
  completes "trigon bench posv_batch --variant " L U
  completes "trigon bench syevd_batch --variant " VL VU NL NU
  completes "trigon bench trsm_batch --variant RU" RUNN RUTN
  completes "trigon bench syrk_batch --variant U" UN UT
  completes "trigon bench herk_batch --variant L" LN LC
  completes "trigon bench gemm_batch --variant=T" TN TT
  completes "trigon bench gemm_batch --k " n
  completes "trigon bench potrf_batch --schedule=d" dsse device
  completes "trigon bench potrf_batch --batch " ""
  completes "trigon bench potrf_batch --type s" s sdcz
  completes "trigon solve a.mtx --js" --json
  completes "trigon solve --uplo " lower upper
  completes "trigon solve --uplo=" lower upper
  completes "trigon solve --uplo=l" lower
  completes "trigon bench trsm --vs n" native native,gemm none
  completes "trigon bench trsm --only g" gemm
  completes "trigon bench trsm --native libb" libblis.so.4
  completes "trigon bench potrf_batch --native cpu64:" libopenblas64.so.0
  completes "trigon solve --backend " cpu cpu: cpu64: cuda:0 cuda:1 hip:0 hip:1
  completes "trigon solve --backend cu" cuda:0 cuda:1
  completes "trigon solve --backend cuda:" 0 1 # readline keeps the text before the colon
  completes "trigon solve --backend=hip:1" 1
  completes "trigon info --backend h" hip:0 hip:1
  completes "trigon bench gemm --m " ""
  completes "trigon bench gemm --fp64 int" int8 int8:fast int8:14
  completes "trigon solve --fp64 d" double-float
  completes "trigon solve --fp64 int8:" fast 14
  completes "trigon factor --fp64=auto:f" fast
  completes "trigon bench gemm --spread " ""
  completes "trigon nothing --" ""
  : >matrix.mtx && : >"with blank.npy" && mkdir matrices
  completes "trigon solve m" matrix.mtx matrices
  completes "trigon factor -o m" matrix.mtx matrices
  completes "trigon factor --output=matri" matrix.mtx matrices
  completes "trigon bench trsm --plot matrix." matrix.mtx
  completes "trigon solve w" "with blank.npy"
  completes "trigon bench potrf_batch --sizes u" uniform:
  completes "trigon bench potrf_batch --sizes m" matrix.mtx matrices
  : >sizes.csv
  completes "trigon bench potrf_batch --sizes s" skewed: sizes.csv
  completes "trigon bench potrf_batch --sizes fixed:3" ""
else
  skip "bash is not here to complete"
fi

# zsh: first the syntax of the file, then the arguments of the calls of _arguments, zsh's own function for options.
all=$(for command in "" $commands "bench potrf_batch"; do told $command --help; done | sort -u | words)
last="$zsh_file"
found=$(grep -oE -e '--[a-z][a-z0-9-]*' "$zsh_file" | sort -u | words)
that "its options are '$found', not '$all'" [ "$found" = "$all" ]
if command -v zsh >/dev/null; then
  cat >arguments.zsh <<'END'
_arguments() { if [[ $1 == -C ]]; then state=argument; return 1; else print -l -- "$@"; fi }
words=(${=2})
source $1
END
  for command in $commands "bench potrf_batch"; do
    last="zsh, $command"
    zsh -f -n "$zsh_file" 2>err
    that "the syntax" [ $? -eq 0 ]
    zsh -f arguments.zsh "$zsh_file" "$command" >out 2>err
    that "errors" empty err
    found=$(sed -nE 's/^(\([^)]*\))?(--[a-z0-9-]+).*/\2/p' out | sort -u | words)
    wanted=$(told $command --help | words)
    that "its options are '$found', not '$wanted'" [ "$found" = "$wanted" ]
  done
  zsh -f arguments.zsh "$zsh_file" bench >out 2>err
  has out "1:routine:($routines $batches)"
else
  skip "zsh is not here; what its completion does is not tried"
fi
finish
