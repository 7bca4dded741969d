#!/bin/sh
# test_man.sh - each public function and type has an installed man page that shows the declaration.
# `man` and `whatis` read the pages without a complaint. The pages have all of the headers' comments.
# Usage: test_man.sh BUILD SOURCE
set -eu
. "$(dirname "$0")/install_support.sh"
headers="$source/include/trigon.h $source/include/trigon_eigen.h $source/include/trigon_cluster.h"
export LC_ALL=C.UTF-8 MANWIDTH=80
unset MANOPT MANROFFOPT MANPAGER

install_build
manual=$place/usr/share/man
that "the pages of the functions are not ASCII" [ -z "$(LC_ALL=C grep -l '[^ -~]' "$manual"/man3/trigon[._][a-z]*)" ]

if ! command -v man >/dev/null || ! command -v lexgrog >/dev/null; then
  echo "skipped: no man or no lexgrog; the pages are not read"
  finish
  exit
fi

# Each page as a terminal shows it, and the names that whatis finds in it.
mkdir "$place/shown" "$place/named"
for page in "$manual"/man[13]/*; do
  name=$(basename "$page")
  case $(head -n 1 "$page") in .so*) continue ;; esac
  man --warnings=w --no-hyphenation --no-justification -l "$page" >"$place/shown/$name" 2>"$place/complaints"
  [ ! -s "$place/complaints" ] || fail "man complains of $name: $(cat "$place/complaints")"
  lexgrog "$page" | sed 's/^[^"]*"\([^ ]*\) - .*/\1/' >"$place/named/$name"
  that "$name has lines of more than 80 columns" [ -z "$(grep -E '.{81}' "$place/shown/$name")" ]
done

# page_of NAME: prints the page that `man NAME` opens, through a link or not.
page_of() {
  file=$(man -M "$manual" --where 3 "$1" 2>/dev/null) || fail "man $1 finds nothing"
  file=${file##*/}
  that "$1 has no page of the installation" [ -s "$place/shown/$file" ]
  that "whatis does not find $1 in $file" grep -qx "$1" "$place/named/$file"
}
# synopsis PAGE: prints the synopsis on one line.
synopsis() { sed -n '/^SYNOPSIS/,/^DESCRIPTION/p' "$place/shown/$1" | tr -s ' \n' ' '; }

# The functions are those that the library exports. The compiler prints their declarations from the headers.
cat "$source/include/trigon_eigen.h" "$source/include/trigon_cluster.h" | cc -E -P -I"$source/include" -xc - |
  tr -s ' \n' ' ' | sed 's/; /;\n/g' >"$place/declarations"
nm --dynamic --defined-only "$lib/libtrigon.so" | awk '{print $3}' | sed -n 's/@.*//; /^trigon_/p' >"$place/functions"
that "the library's functions were not found" [ "$(wc -l <"$place/functions")" -ge 70 ]
while read -r function; do
  page_of "$function"
  declaration=$(sed -n "s/.*__attribute__((visibility(\"default\"))) \(.*\<$function(.*;\)/\1/p" "$place/declarations")
  that "no header declares $function" [ -n "$declaration" ]
  has "$(synopsis "$file")" "$declaration"
done <"$place/functions"

# A reader of whatis sees nothing but the purpose.
purposes=$(for page in "$manual"/man3/*; do lexgrog "$page" 2>/dev/null; done | grep -ci ' - the same' || true)
that "$purposes pages say what they are for by \"the same\"" [ "$purposes" -eq 0 ]

# Types, and the constants of the enumerations.
sed -n 's/^\(} \|typedef.* \)\(trigon_[a-z_]*\);$/\2/p' $headers >"$place/types"
that "the headers' types were not found" [ "$(wc -l <"$place/types")" -ge 10 ]
while read -r type; do
  page_of "$type"
  has "$(synopsis "$file")" " $type; "
done <"$place/types"
for page in "$place"/shown/*; do synopsis "${page##*/}"; done >"$place/synopses"
for constant in $(grep -o 'TRIGON_[A-Z0-9_]*' "$place/declarations" | sort -u); do
  that "no synopsis has $constant" grep -qw "$constant" "$place/synopses"
done

# The pages have every word of the comments, and every item of a list is an item.
words() { grep -ohE '[A-Za-z_]{3,}' "$@" | sort -u; }
grep -hv '^#\|^extern\|^/\* ----' $headers | words | grep -vx TRIGON_API >"$place/written"
words "$place"/shown/* | comm -23 "$place/written" - >"$place/lost"
[ ! -s "$place/lost" ] || fail "the pages lack words of a header: $(cat "$place/lost")"
pass
items=$(cat $headers | grep -c '^ \* *- ')
that "the headers have $items items, the pages have others" \
  [ "$(cat "$place"/shown/trigon[._][a-z]* | grep -c '^ *• ')" -eq "$items" ]
for term in '"cpu:LIBRARY"' split=halves trace=1; do
  that "$term is not explained" grep -q "^       $term$" "$place/shown/trigon_create.3"
done
finish
