#!/usr/bin/env bash
# python.sh DROPIN THREADS numpy|scipy [wheels] - the tests of numpy.linalg or scipy.linalg that are not marked slow,
# with Debian's Python and packages. wheels: with the Python TRIGON_WHEELS, whose packages bring a BLAS of their own,
# and with the drop-in libraries for these. FULL=1: the slow ones, too.
source "$(dirname "$0")/suite.bash"
python=/usr/bin/python3
if [ "${4-}" = wheels ]; then
  python=${TRIGON_WHEELS:-} folder=$(dirname "$dropin")
  [ -x "$python" ] || skip "TRIGON_WHEELS names no Python (scripts/setup suites)"
  dropin=$folder/libtrigon-scipy.so:$folder/libtrigon-scipy64.so
fi
for module in "$part" pytest hypothesis; do
  "$python" -c "import $module" 2>/dev/null || skip "$python has no $module (python3-$module)"
done
export PYTHONDONTWRITEBYTECODE=1
chosen=(-m 'not slow')
[ -z "${FULL-}" ] || chosen=()
for who in host trigon; do
  over "$who" "$python" -m pytest -q -rsfE -p no:cacheprovider --hypothesis-seed=0 ${chosen[@]+"${chosen[@]}"} \
    --pyargs "$part.linalg" >"$who.text" || true
  sed -nE 's/^(FAILED|ERROR) ([^ ]*).*/\1 \2/p' "$who.text" >"$who.failures"
  echo "$who: $(tail -n 1 "$who.text")"
  grep '^SKIPPED' "$who.text" | sed 's|\[.*/|/|' | sort >"$who.skipped" || true
done
# A skipped test tells why. With the drop-in preloaded, a symbol of the program's own modules comes later than the
# host's.
comm -13 host.skipped trigon.skipped | sed 's/^/with Trigon only: /'
tests() { # tests WHO: how many have passed or failed
  tail -n 1 "$1.text" | grep -oE '[0-9]+ (passed|failed|skipped|errors?|xfailed|xpassed)' |
    awk '{ sum += $1 } END { print sum + 0 }'
}
verdict "$part.linalg${4+, wheels}" "$(tests host)" "$(tests trigon)"
