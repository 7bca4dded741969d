# The sweep over dataflow leaves on the simulated GPU, also with few columns (sweep_dataflow_few).

# Dataflow leaves: with one, several and many resident blocks, both widths of a warp, and every kind of tile that
# matrix units have. The whole solve is one leaf. One run has solves of several tile rows. Contexts of one device share
# its warps, seed and resident blocks, so each backend has a device of its own.
set(dataflow 24)
set(triangles 4)
set(few 1,2,5,33,70,130)
if(TRIGON_SANITIZE) # a case takes four times as long
  set(few 1,5,70)
  set(dataflow 96)
  set(triangles 16)
endif()
on_simulated_gpu(sweep_dataflow sweep --routine trsm --share ${dataflow}
  --backend "sim:0?leaf=dataflow&stop=1000&seed=1&resident=1"
  --backend "sim:1?leaf=dataflow&stop=1000&seed=2&warp=64" --backend "sim:2?leaf=dataflow&stop=16&seed=3")
on_simulated_gpu(sweep_dataflow_product sweep --routine trmm --share ${dataflow}
  --backend "sim:0?leaf=dataflow&stop=1000&seed=1&resident=1" --backend "sim:1?leaf=dataflow&stop=1000&seed=2&warp=64"
  --backend "sim:2?leaf=dataflow&stop=16&seed=3")
# Few columns have a kernel of their own, with tiles of 32 rows on the simulated GPU.
on_simulated_gpu(sweep_dataflow_few sweep --routine trsm --share 120 --sizes ${few}
  --backend "sim:0?leaf=dataflow&stop=1000&seed=1&resident=1" --backend "sim:1?leaf=dataflow&stop=1000&seed=2&warp=64"
  --backend "sim:2?leaf=dataflow&stop=1000&seed=3")
set(tiles 600)
if(TRIGON_SANITIZE)
  set(tiles 2400)
endif()
on_simulated_gpu(sweep_dataflow_tiles sweep --routine trsm --types d --share ${tiles} --sizes 33,140
  --backend "sim:0?leaf=dataflow&stop=1000&seed=1&tile=128x8&resident=1"
  --backend "sim:1?leaf=dataflow&stop=1000&seed=2&tile=128x16&resident=3"
  --backend "sim:2?leaf=dataflow&stop=1000&seed=3&tile=128x32&resident=2"
  --backend "sim:3?leaf=dataflow&stop=1000&seed=4&tile=128x64&resident=1"
  --backend "sim:0?leaf=dataflow&stop=1000&seed=5&tile=128x128&resident=2")
on_simulated_gpu(sweep_dataflow_product_tiles sweep --routine trmm --types d --share ${tiles} --sizes 33,100
  --backend "sim:0?leaf=dataflow&stop=1000&seed=1&tile=64x8" --backend "sim:1?leaf=dataflow&stop=1000&seed=2&tile=64x16"
  --backend "sim:2?leaf=dataflow&stop=1000&seed=3&tile=64x32"
  --backend "sim:3?leaf=dataflow&stop=1000&seed=4&tile=64x64"
  --backend "sim:0?leaf=dataflow&stop=1000&seed=5&tile=128x64&resident=2"
  --backend "sim:1?leaf=dataflow&stop=1000&seed=6&tile=128x128")

on_simulated_gpu(sweep_dataflow_potrf sweep --routine potrf --share 12 --sizes 17,33,40,70,100
  --backend "sim:0?leaf=dataflow&stop=1000&seed=1&resident=1" --backend "sim:1?leaf=dataflow&stop=1000&seed=2&warp=64"
  --backend "sim:2?leaf=dataflow&stop=40&seed=3&resident=3")
on_simulated_gpu(sweep_dataflow_potrf_failures sweep --routine potrf --share 12
  --backend "sim:0?leaf=dataflow&stop=1000&seed=4&resident=1" --backend "sim:1?leaf=dataflow&stop=1000&seed=5&warp=64")

# The same for routines that overwrite triangles. Tiles of doubles have 32 rows on the simulated GPU, or 16.
set(large_trtri 128x64)
set(large_lauum 128x128)
foreach(routine trtri lauum)
  on_simulated_gpu(sweep_dataflow_${routine} sweep --routine ${routine} --share ${triangles}
    --backend "sim:0?leaf=dataflow&stop=1000&seed=1&resident=1" --backend "sim:1?leaf=dataflow&stop=1000&seed=2&warp=64"
    --backend "sim:2?leaf=dataflow&stop=16&seed=3" --backend "sim:3?leaf=dataflow&stop=1000&seed=4&tile=64x64")
  on_simulated_gpu(sweep_dataflow_${routine}_tiles sweep --routine ${routine} --types d --share 2
    --sizes 32,33,70,130,200
    --backend "sim:0?leaf=dataflow&stop=1000&seed=1&tile=64x32"
    --backend "sim:1?leaf=dataflow&stop=1000&seed=2&tile=64x64"
    --backend "sim:2?leaf=dataflow&stop=1000&seed=3&tile=${large_${routine}}&resident=2"
    --backend "sim:3?leaf=dataflow&stop=1000&seed=4&resident=1")
endforeach()

# The same with the tiles of real GPUs.
on_simulated_gpu(sweep_dataflow_large sweep --routine trsm --types dcz --share 600 --sizes 65,130
  --backend "sim:0?leaf=dataflow&stop=1000&seed=2")
on_simulated_gpu(sweep_dataflow_few_large sweep --routine trsm --types dc --share 1200 --sizes 3,200
  --backend "sim:0?leaf=dataflow&stop=1000&seed=2")
set(pieces 270) # an order at which sums are cut
if(TRIGON_SANITIZE)
  set(pieces 130)
endif()
on_simulated_gpu(sweep_dataflow_product_large sweep --routine trmm --types dc --share 2400 --sizes 65,${pieces}
  --backend "sim:0?leaf=dataflow&stop=1000&seed=2")
on_simulated_gpu(sweep_dataflow_potrf_large sweep --routine potrf --share 24 --sizes 65,200
  --backend "sim:0?leaf=dataflow&stop=1000&seed=2")
foreach(routine trtri lauum)
  on_simulated_gpu(sweep_dataflow_${routine}_large sweep --routine ${routine} --share 6 --sizes 65,200
    --backend "sim:0?leaf=dataflow&stop=1000&seed=2" --backend "sim:1?leaf=dataflow&stop=1000&seed=3&warp=64"
    --backend "sim:2?leaf=dataflow&stop=1000&seed=4&tile=64x64"
    --backend "sim:3?leaf=dataflow&stop=1000&seed=5&tile=${large_${routine}}")
endforeach()
with_plugins(-large sweep_dataflow_large sweep_dataflow_few_large sweep_dataflow_product_large
  sweep_dataflow_potrf_large sweep_dataflow_trtri_large sweep_dataflow_lauum_large)

# Races between the threads of a block, and between blocks.
if(TARGET trigon-sim-races)
  on_simulated_gpu(sweep_dataflow_races sweep --routine trsm --share 700
    --backend "sim:0?leaf=dataflow&stop=1000&seed=5")
  on_simulated_gpu(sweep_dataflow_tiles_races sweep --routine trsm --types d --share 4000 --sizes 33,100
    --backend "sim:0?leaf=dataflow&stop=1000&seed=5&tile=128x16"
    --backend "sim:1?leaf=dataflow&stop=1000&seed=6&tile=128x64"
    --backend "sim:2?leaf=dataflow&stop=1000&seed=7&tile=128x128")
  on_simulated_gpu(sweep_dataflow_rows_races sweep --routine trsm --types d --share 4000 --sizes 140
    --backend "sim:0?leaf=dataflow&stop=1000&seed=5&tile=128x32")
  on_simulated_gpu(sweep_dataflow_few_races sweep --routine trsm --share 4000 --sizes 1,5,70
    --backend "sim:0?leaf=dataflow&stop=1000&seed=5")
  on_simulated_gpu(sweep_dataflow_product_races sweep --routine trmm --share 500
    --backend "sim:0?leaf=dataflow&stop=1000&seed=5")
  on_simulated_gpu(sweep_dataflow_potrf_races sweep --routine potrf --share 60
    --backend "sim:0?leaf=dataflow&stop=1000&seed=5")
  foreach(routine trtri lauum)
    on_simulated_gpu(sweep_dataflow_${routine}_races sweep --routine ${routine} --share 6 --sizes 17,33,70,130
      --backend "sim:0?leaf=dataflow&stop=1000&seed=5"
      --backend "sim:1?leaf=dataflow&stop=1000&seed=6&resident=3&tile=64x64"
      --backend "sim:2?leaf=dataflow&stop=1000&seed=7&tile=${large_${routine}}")
  endforeach()
  with_plugins(-races sweep_dataflow_races sweep_dataflow_tiles_races sweep_dataflow_rows_races
    sweep_dataflow_few_races sweep_dataflow_product_races sweep_dataflow_potrf_races sweep_dataflow_trtri_races
    sweep_dataflow_lauum_races)
endif()
