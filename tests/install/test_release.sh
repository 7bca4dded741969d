#!/bin/sh
# test_release.sh - all texts that name the version have the version of include/trigon.h (RELEASING.md).
# The files that other programs read must be well-formed. Usage: test_release.sh BUILD SOURCE
set -eu
. "$(dirname "$0")/install_support.sh"
cd "$source"

version=$(sed -n 's/^#define TRIGON_VERSION_\(MAJOR\|MINOR\|PATCH\) //p' include/trigon.h | paste -s -d .)
has "$version" .
for page in man/trigon.1 man/trigon-tune.1 man/trigon.3; do
  that "$page has another version than $version" grep -q "^\.TH .*\"Trigon $version\"" "$page"
done
that "CITATION.cff has another version than $version" grep -qx "version: $version" CITATION.cff
case $version in 0.*) soname=${version%.*} ;; *) soname=${version%%.*} ;; esac
that "packaging/debian has no libtrigon$soname" grep -qx "Package: libtrigon$soname" packaging/debian/control
that "packaging/debian has no libtrigon$soname" [ -e "packaging/debian/libtrigon$soname.install" ]
heading=$(grep -m 1 '^## ' CHANGELOG.md)
that "the first section of CHANGELOG.md is '$heading', not of $version" [ "${heading#"## $version ("}" != "$heading" ]

if ! python3 -c 'import yaml' 2>/dev/null; then
  echo "skipped: python3 has no yaml; CITATION.cff and the form for issues are not parsed"
  finish
  exit
fi
that "CITATION.cff is wrong" python3 - <<'PYTHON'
import yaml
citation = yaml.safe_load(open("CITATION.cff"))
assert citation["cff-version"] == "1.2.0", citation
assert all(citation[key] for key in ("message", "title", "authors")), citation
assert all("name" in author or "family-names" in author for author in citation["authors"]), citation
PYTHON
that "the form for issues is wrong" python3 - <<'PYTHON'
import yaml
form = yaml.safe_load(open(".github/ISSUE_TEMPLATE/bug.yml"))
assert form["name"] and form["description"], form
fields = {field["id"]: field for field in form["body"]}
assert set(fields) == {"info", "version", "call", "expected", "actual"}, fields
assert all(field["validations"]["required"] for field in fields.values()), fields
assert "trigon info" in fields["info"]["attributes"]["label"], fields
PYTHON
finish
