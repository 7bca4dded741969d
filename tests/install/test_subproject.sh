#!/bin/sh
# test_subproject.sh - a user's project has Trigon as a subproject.
# The test checks what is built and installed by default, which library trigon::trigon is, and which programs find the
# plugins for GPUs. Usage: test_subproject.sh BUILD SOURCE
set -eu
. "$(dirname "$0")/install_support.sh"

# The PATH has an hipcc that fails. By default the build does not look for hipcc.
mkdir "$place/tools"
printf '#!/bin/sh\nexit 1\n' >"$place/tools/hipcc"
chmod +x "$place/tools/hipcc"
PATH=$PATH:$place/tools
unset TRIGON_BACKEND_PATH
user=$place/user
configure() {
  logged "the project with Trigon inside is not configured by $*" \
    cmake -S "$source/tests/install/client/project" -B "$user" -DCMAKE_BUILD_TYPE=Debug \
    -DTRIGON_SOURCE="$source" -DCMAKE_INSTALL_PREFIX="$place/own" \
    -DCMAKE_INSTALL_LIBDIR=lib "$@"
}
build_user() { logged "the project with Trigon inside does not build" cmake --build "$user" --parallel 2; }

configure
targets=$(cmake --build "$user" --target help |
  sed -n 's/^[. ]*\(trigon-[a-z]*\|trigon_command\|sweep\|kriging\)\>.*/\1/p')
[ -z "$targets" ] || fail "targets that nobody asked for: $targets"
pass
build_user
logged "the project is not installed" cmake --install "$user"
that "installed beside the user's program: $(find "$place/own" -type f)" \
  [ "$(find "$place/own" -type f)" = "$place/own/bin/over_shared" ]

# Messages have the ends of long paths.
beside=$user/lib/trigon beside_user=$user/user/trigon installed=$place/own/lib/trigon plugin=libtrigon-sim.so
tells "$user/over_shared" sim:0 "there is neither " "/user/lib/trigon/$plugin nor " "/own/lib/trigon/$plugin"
tells "$user/over_user" sim:0 "there is neither " "/user/user/trigon/$plugin nor " "/own/lib/trigon/$plugin"
tells "$user/over_static" sim:0 "there is no " "/own/lib/trigon/$plugin"

# The plugin of the simulated GPU, if it is built, serves as an example of a plugin.
mkdir -p "$beside" "$beside_user" "$installed"
if [ -e "$build/plugins/$plugin" ]; then
  cp "$build/plugins/$plugin" "$installed"
  for program in over_shared over_user over_static; do tells "$user/$program" sim:0 "simulated"; done
  # A file beside the library comes first, even if the file is not a plugin.
  echo "not a library" | tee "$beside/$plugin" >"$beside_user/$plugin"
  tells "$user/over_shared" sim:0 "cannot load " "/user/lib/trigon/$plugin: " "file too short"
  tells "$user/over_user" sim:0 "cannot load " "/user/user/trigon/$plugin: " "file too short"
  tells "$user/over_static" sim:0 "simulated"
else
  echo "skipped: no simulated GPU; the test that plugins are found is left out"
fi

# If a plugin exists and cannot be loaded, the message has the loader's reason. The message does not say that other
# folders have no plugin.
echo 'int absent(void); int absent(void) { return 1; }' | cc -x c -shared -fPIC - -o "$place/libabsent.so"
echo 'int absent(void); int trigon_plugin_create(void); int trigon_plugin_create(void) { return absent(); }' |
  cc -x c -shared -fPIC - -o "$beside/libtrigon-cuda.so" -L"$place" -labsent
rm "$place/libabsent.so"
tells "$user/over_shared" cuda:0 \
  "/user/lib/trigon/libtrigon-cuda.so: it needs a library that does not load: libabsent.so: " "(LD_LIBRARY_PATH"

# A plugin that was built from other sources is not called.
printf '%s\n' 'const char trigon_plugin_build[] = "cuda 0.1.0+other";' \
  'void trigon_plugin_create(void) { *(int *)0 = 0; }' |
  cc -x c -shared -fPIC - -o "$beside/libtrigon-cuda.so"
tells "$user/over_shared" cuda:0 "/user/lib/trigon/libtrigon-cuda.so is built from other sources than this library: " \
  "cuda 0.1.0+other, not cuda "

# BUILD_SHARED_LIBS decides which library trigon::trigon is.
has "$(ldd "$user/over_shared")" libtrigon.so
configure -DBUILD_SHARED_LIBS=OFF
build_user
case $(ldd "$user/over_shared") in *libtrigon*) fail "BUILD_SHARED_LIBS=OFF: the program needs libtrigon.so" ;; esac
pass

# If the parent asks for the real plugins, the build puts them where the library looks. If the parent asks for it, all
# of Trigon is installed.
PATH=${PATH%":$place/tools"}
configure -DBUILD_SHARED_LIBS=ON -DTRIGON_CUDA=ON -DTRIGON_HIP=ON
for folder in "$user"/*.folder; do
  if [ -e "$folder" ]; then that "$folder: $(cat "$folder")" [ "$(cat "$folder")" = "$user/lib/trigon" ]; fi
done
configure -DTRIGON_CUDA=OFF -DTRIGON_HIP=OFF -DTRIGON_INSTALL=ON
build_user
logged "the project is not installed with Trigon" cmake --install "$user"
for file in include/trigon.h include/trigon_eigen.h include/trigon_cluster.h lib/libtrigon.so \
  lib/libtrigon.a lib/pkgconfig/trigon.pc share/man/man3/trigon_dpotrf.3; do
  that "TRIGON_INSTALL=ON: $file is not installed" [ -s "$place/own/$file" ]
done
finish
