# The sweep on the simulated GPU. gpu/dataflow.cmake has the sweeps over dataflow leaves.

# A share of the sweep's cases. The four runs cover both widths of a warp, blocks and threads forwards, backwards and
# shuffled, default and forced stop sizes, and products by the BLAS and by Trigon's own kernel. Each process runs on one
# core, so there are several processes.
set(share 8)
if(TRIGON_SANITIZE)
  set(share 30)
endif()
set(seed 1)
foreach(backend "sim:0?seed=1" "sim:0?seed=2&warp=64&stop=8" "sim:0?seed=3&gemm=own&stop=16"
    "sim:0?seed=4&warp=64&gemm=own&stop=9&split=power")
  on_simulated_gpu(sweep_${backend} sweep --share ${share} --seed ${seed} --backend ${backend})
  math(EXPR seed "${seed} + 1")
endforeach()

# Products of doubles on matrix units, which need warps of 32 lanes.
foreach(routine gemm syrk syr2k symm)
  on_simulated_gpu(sweep_mma_${routine} sweep --routine ${routine} --types d --share 40
    --backend "sim:0?gemm=own&stop=1000&seed=1")
  on_simulated_gpu(sweep_mma_${routine}_large sweep --routine ${routine} --types d --share 400 --sizes 33,130
    --backend "sim:0?gemm=own&stop=1000&seed=2")
  with_plugins(-large sweep_mma_${routine}_large)
endforeach()

# A share of the sweep with the tiles and stop sizes of real GPUs. Larger sizes need several tiles and the recursion.
set(several --share 60 --sizes 33,130,257)
if(TRIGON_SANITIZE)
  set(several --share 200 --sizes 33,130)
endif()
on_simulated_gpu(sweep_large sweep --share 60 --backend "sim:0?seed=2&warp=64")
on_simulated_gpu(sweep_large_sizes sweep --types dc ${several}
  --backend "sim:0?seed=3&gemm=own&warp=64")
if(NOT TRIGON_SANITIZE)
  on_simulated_gpu(sweep_large_other_types sweep --share 60 --types sz --sizes 33,130
    --backend "sim:0?seed=3&gemm=own&warp=64")
  set(other_types sweep_large_other_types)
endif()
with_plugins(-large sweep_large sweep_large_sizes ${other_types})

# Races between the threads of Trigon's own kernels, and between blocks.
if(TARGET trigon-sim-races)
  foreach(routine gemm syrk syr2k symm)
    on_simulated_gpu(sweep_mma_${routine}_races sweep --routine ${routine} --types d --share 400
      --backend "sim:0?gemm=own&stop=1000&seed=3")
    list(APPEND looks_for_races sweep_mma_${routine}_races)
  endforeach()
  on_simulated_gpu(sweep_races sweep --share 700 --backend "sim:0?seed=5&stop=16&gemm=own&warp=64")
  list(APPEND looks_for_races sweep_races)
  with_plugins(-races ${looks_for_races})
endif()

# The rows of other kinds of GPUs. Hopper's rows choose dataflow leaves, and the vendor's routines.
on_simulated_gpu(sweep_arch sweep --share 120 --sizes 5,33,70 --backend "sim:0?arch=hopper&seed=1"
  --backend "sim:1?arch=portable&leaf=dataflow&stop=40&gemm=own&seed=2")

# The rows that nobody has measured: those of Ampere, and the others, which have the same rows but for Blackwell. Large
# leaves take whole matrices, so small shares of the sweep reach all kernels.
on_simulated_gpu(sweep_kinds sweep --share 300 --sizes 5,33,70 --backend "sim:0?arch=ampere&seed=1")
on_simulated_gpu(sweep_kinds_others sweep --share 1000 --sizes 5,33,70 --backend "sim:0?arch=ada&seed=2"
  --backend "sim:1?arch=ampere-rtx&seed=3" --backend "sim:2?arch=blackwell-rtx&gemm=own&seed=4"
  --backend "sim:3?arch=blackwell&seed=5")
