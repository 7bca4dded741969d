# Draws the output of the program kriging: gnuplot -c kriging.gp PREFIX [TITLE] reads PREFIX.dat and writes PREFIX.svg.
prefix = ARGC > 0 ? ARG1 : 'kriging'
data = prefix.'.dat'
heading = ARGC > 1 ? ARG2 : 'Maunga Whau from a fifth of its points'
set encoding utf8

stats data using 1 name 'north' nooutput
stats data using 2 name 'west' nooutput
stats data using 3 name 'height' nooutput
stats data using 5 name 'deviation' nooutput
stats data using ($6 == 1 ? $3 : NaN) name 'sample' nooutput
stats data using ($6 == 0 ? ($3 - $4)**2 : NaN) name 'error' nooutput

# Contours every 10 m, of the truth and of the prediction. This map was digitized from contours at the full tens, and
# has large flat patches at these heights. So our contours are at 5, 15, 25 ... metres.
set contour base
unset surface
set cntrparam levels incremental 10 * floor(height_min / 10) + 5, 10, height_max
set table $truth
splot data using 2:1:3
set table $prediction
splot data using 2:1:4
unset table

# Three panels; sizes are in pixels. On the map west is left and north is up. The map extends half a cell beyond its
# points.
left = 80; panel = 320; gap = 60; bottom = 168; top = 140
tall = panel * (north_max + 10) / (west_max + 10)
W = left + 3 * (panel + gap) - 20
H = bottom + tall + top
x(k) = left + k * (panel + gap)
set terminal svg size W, H enhanced rounded font 'Helvetica,15' background '#ffffff'
set output prefix.'.svg'
set multiplot
set xrange [west_max + 5 : -5]
set yrange [-5 : north_max + 5]
set tics out nomirror scale 0.5
set xtics 200
set ytics 200
set border linewidth 0.7 linecolor '#777777'
unset key
set bmargin at screen 1. * bottom / H
set tmargin at screen 1. * (bottom + tall) / H

viridis = "0 '#440154', 1 '#482878', 2 '#3e4989', 3 '#31688e', 4 '#26828e', 5 '#1f9e89', \
6 '#35b779', 7 '#6ece58', 8 '#b5de2b', 9 '#fde725'"
lajolla = "0 '#fffecb', 1 '#fbe68a', 2 '#f3c45c', 3 '#eb9b52', 4 '#dd7250', 5 '#bd4f4a', \
6 '#8f3f41', 7 '#5f3330', 8 '#38241b', 9 '#191900'"
set style line 1 linewidth 0.8 linecolor rgb '#50ffffff'
set style line 2 linewidth 2.4 linecolor rgb '#000000'

set label 1 heading at screen 1. * left / W, 1 - 40. / H font ',25'
set label 2 sprintf( \
    '%d of %d heights are known. At the others, the kriging prediction is %.2f m off (root mean square).', \
    sample_records, height_records, sqrt(error_mean)) at screen 1. * left / W, 1 - 76. / H textcolor '#555555'

do for [k = 0 : 2] {
  set lmargin at screen 1. * x(k) / W
  set rmargin at screen 1. * (x(k) + panel) / W
  set title word('Truth Prediction Uncertainty', k + 1).(k == 0 ? ' (dots: the known points)' : '') offset 0, -0.4
  set xlabel 'metres west' offset 0, 0.35
  if (k == 0) {
    eval 'set palette defined ('.viridis.')'
    set ylabel 'metres north' offset 1.5, 0
    set cbrange [height_min : height_max]
    set cblabel 'height (m)' offset 0, 0.35
    set cbtics 20
    set colorbox horizontal user origin 1. * x(0) / W, 74. / H size 1. * (2 * panel + gap) / W, 14. / H noborder
    plot data using 2:1:3 with image, $truth using 1:2 with lines linestyle 1, \
         data using ($6 == 1 ? $2 - 0.1 : NaN):1:(0.2):(0) with vectors nohead linestyle 2
    unset label
    unset ylabel
    set ytics format ''
    unset colorbox
  }
  if (k == 1) { plot data using 2:1:4 with image, $prediction using 1:2 with lines linestyle 1 }
  if (k == 2) {
    eval 'set palette defined ('.lajolla.')'
    set cbrange [0 : *]
    set cblabel 'standard deviation (m)'
    set cbtics 1
    set colorbox horizontal user origin 1. * x(2) / W, 74. / H size 1. * panel / W, 14. / H noborder
    plot data using 2:1:5 with image
  }
}
unset multiplot
