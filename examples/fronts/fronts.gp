# Draws the table of the program fronts: gnuplot -c fronts.gp PREFIX [TITLE] reads PREFIX.dat and writes PREFIX.svg.
prefix = ARGC > 0 ? ARG1 : 'fronts'
data = prefix.'.dat'
heading = ARGC > 1 ? ARG2 : 'Fronts of a sparse Cholesky factorization, in batches'
set encoding utf8

# Columns: 1 orders, 2 fronts, 3 flops in percent, 4 POTRF, 5 POTRS in ms, 6 Gflop/s of both, 7 POSV in ms, 8 Gflop/s.
# The last line is for all fronts together.
is_class = "(strcol(1) eq 'all' ? NaN : 1)"
stats data using (@is_class * $2) name 'fronts' nooutput
stats data using (@is_class * ($4 + $5)) name 'time' nooutput

set terminal svg size 960, 560 enhanced rounded font 'Helvetica,15' background '#ffffff'
set output prefix.'.svg'
set multiplot layout 1, 2 margins 0.08, 0.98, 0.21, 0.65 spacing 0.1
set label 1 heading at screen 0.04, 0.93 font ',25'
set label 2 'Each class of orders is a batch alone. The bars "all" are one batch of all fronts.' \
    at screen 0.04, 0.86 textcolor '#555555'
set style data histograms
set style histogram clustered gap 1
set style fill solid noborder
set border 3 linewidth 0.7 linecolor '#777777'
set tics out nomirror scale 0.5
set xtics rotate by -35
set yrange [0 : *]
set grid ytics linewidth 0.5 linecolor '#cccccc'
set key at graph 0, 1.17 left Left reverse horizontal samplen 1
set xlabel 'orders of the fronts'

set xrange [-0.6 : fronts_records - 0.4] # without the last line
set label 3 'Share of each class (%)' at graph 0, 1.25
plot data using (@is_class * 100 * $2 / fronts_sum):xtic(1) title 'fronts' linecolor '#bbbbbb', \
     '' using (@is_class * 100 * ($4 + $5) / time_sum) title 'time' linecolor '#cc6677', \
     '' using (@is_class * $3) title 'flops' linecolor '#4477aa'
unset label
set xrange [-0.6 : fronts_records + 0.6]
set label 3 'Gflop/s' at graph 0, 1.25
plot data using 6:xtic(1) title 'POTRF and POTRS' linecolor '#4477aa', '' using 8 title 'POSV' linecolor '#ccbb44'
unset multiplot
