# scripts_support.sh - what the tests of scripts that read results of trigon bench share. A test sources it.
# shellcheck shell=sh
. "$(dirname "$0")/../cli/cli_support.sh"
columns="routine,type,backend,impl,variant,m,n,k,batch,ms,gflops,error,extra_bytes,floor_ms,detail"

# row ROUTINE IMPL VARIANT M N MS GFLOPS [FLOOR [DETAIL]]
row() { echo "$1,d,cuda:0,$2,$3,$4,$5,,1,$6,$7,1e-18,0,${8-},${9-}"; }
# script NAME ARGUMENTS...: runs a script of the project; `status` is its exit status.
script() {
  last=$*
  name=$1
  shift
  bash "$source_folder/scripts/$name" "$@" >out 2>err
  status=$?
}
