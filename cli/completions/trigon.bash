# trigon.bash - completes command lines of `trigon` in bash: commands, options, backends, routines, files.
# shellcheck shell=bash

# Replies with those of the words that begin with $1. A colon splits words in readline: what stands before the last one is
# on the command line already.
_trigon_words() {
  mapfile -t COMPREPLY < <(compgen -W "$2" -- "$1")
  if [[ $COMP_WORDBREAKS == *:* ]]; then COMPREPLY=("${COMPREPLY[@]#"${1%"${1##*:}"}"}"); fi
}

_trigon_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

_trigon_options() {
  case $1 in
  solve | factor | invert) echo "--output --format --overwrite --uplo --backend --jitter --fp64 --json --quiet --help" ;;
  bench)
    echo "--type --m --n --k --variant --backend --vs --native --fp64 --spread --beside --hard --only --repeat --seconds --csv"
    echo "--plot --help"
    ;;
  bench_batch)
    echo "--sizes --batch --nrhs --k --max --type --variant --backend --schedule --vs --native --repeat --seconds --csv"
    echo "--help"
    ;;
  tune) echo "--backend --time --routine --type --largest --batch --output --quiet --help" ;;
  info) echo "--backend --rows --json --help" ;;
  run) echo "--log --int64 --help" ;;
  esac
}

# The same as _trigon_value, for options that have other values with batches. $3 is the line.
_trigon_batch_value() {
  case $1 in
  --vs) _trigon_words "$2" "native native-loop native,native-loop none" ;;
  --variant)
    case $3 in
    *syevd_batch*) _trigon_words "$2" "VL VU NL NU" ;;
    *trsm_batch* | *trmm_batch*) _trigon_words "$2" "LLNN LUNN RLNN RUNN LLTN LUTN RLTN RUTN" ;;
    *syrk_batch*) _trigon_words "$2" "LN UN LT UT" ;;
    *herk_batch*) _trigon_words "$2" "LN UN LC UC" ;;
    *gemm_batch*) _trigon_words "$2" "NN NT TN TT" ;;
    *) _trigon_words "$2" "L U" ;;
    esac
    ;;
  --nrhs | --k) _trigon_words "$2" "n" ;;
  --sizes)
    _trigon_files "$2"
    if [[ $2 != *:* ]]; then
      mapfile -O ${#COMPREPLY[@]} -t COMPREPLY < <(compgen -W "fixed: uniform: skewed:" -- "$2")
      if [[ ${COMPREPLY[*]} == *: ]]; then compopt -o nospace 2>/dev/null; fi
    fi
    ;;
  *) return 1 ;;
  esac
}

# Replies with values of the option $1 that begin with $2. Fails if $1 is no option that takes one. $3 is the command,
# $4 the line.
_trigon_value() {
  if [[ $3 == bench_batch ]] && _trigon_batch_value "$1" "$2" "$4"; then return; fi
  case $1 in
  --backend | --rows)
    _trigon_words "$2" "cpu cpu: cpu64: cuda:0 cuda:1 hip:0 hip:1"
    if [[ $2${COMPREPLY[*]} == *: ]]; then compopt -o nospace 2>/dev/null; fi
    ;;
  --uplo) _trigon_words "$2" "lower upper" ;;
  --format) _trigon_words "$2" "mtx mtx.gz npy" ;;
  --type) _trigon_words "$2" "s d c z sdcz" ;;
  --vs) _trigon_words "$2" "native direct trsv gemm native,gemm none" ;;
  --native) _trigon_words "$2" "libopenblas.so.0 libblis.so.4 cpu64:libopenblas64.so.0" ;;
  --only) _trigon_words "$2" "trigon native gemm" ;;
  --variant) _trigon_words "$2" "all" ;;
  --routine)
    _trigon_words "$2" "gemm syrk symm syr2k trsm trmm potrf trtri lauum
      trsm_vectors trsm_tiles trmm_tiles trtri_tiles lauum_tiles potrf_batch trsm_batch posv_batch trtri_batch
      host_order host_columns host_tiles host_link"
    ;;
  --fp64) _trigon_words "$2" "native double-float int8 int8:fast int8:14 auto auto:fast auto:14" ;;
  --jitter) _trigon_words "$2" "1e-10 1e-06" ;;
  --schedule) _trigon_words "$2" "auto ssde dsse device auto,ssde,dsse auto,ssde,dsse,device" ;;
  -o | --output | --plot) _trigon_files "$2" ;;
  --m | --n | --k | --spread | --beside | --batch | --nrhs | --repeat | --seconds | --time | --largest) ;;
  *) return 1 ;;
  esac
}

_trigon() {
  local commands="solve factor invert bench tune run info help"
  local routines="gemm trmm trsm syrk herk syr2k her2k symm hemm potrf potrs posv trtri lauum potri"
  routines+=" gemv symv hemv trmv trsv ger syr her syr2 her2 syevd syevdx sygvd"
  local batches="potrf_batch potrs_batch posv_batch trtri_batch potri_batch syevd_batch"
  batches+=" trsm_batch trmm_batch syrk_batch herk_batch gemm_batch"
  local word=$2 command=${COMP_WORDS[1]} line=${COMP_LINE:0:COMP_POINT} last before
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _trigon_words "$word" "$commands --help --version"
    return
  fi
  # The last word and the one before, as the command will see them: readline splits at '=' and ':', too.
  last=${line##*[[:blank:]]}
  before=${line%"$last"}
  before=${before%"${before##*[![:blank:]]}"}
  before=${before##*[[:blank:]]}
  if [[ $command == bench && $line == *_batch[[:blank:]]* ]]; then command=bench_batch; fi
  if [[ $last == --*=* ]]; then
    _trigon_value "${last%%=*}" "${last#*=}" "$command" "$line"
  elif _trigon_value "$before" "$last" "$command" "$line"; then
    :
  elif [[ $word == -* ]]; then
    _trigon_words "$word" "$(_trigon_options "$command")"
  else
    case $command in
    solve | factor | invert) _trigon_files "$word" ;;
    bench) _trigon_words "$word" "$routines $batches" ;;
    run) mapfile -t COMPREPLY < <(compgen -c -- "$word") ;;
    help) _trigon_words "$word" "$commands" ;;
    esac
  fi
}

complete -F _trigon trigon
