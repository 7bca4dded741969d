% octave_spd.m - what Octave computes with a symmetric positive definite matrix of order 1200: chol, inv, A\B with as
% many right-hand sides. Prints a name and milliseconds a line: the median of REPEATS runs in this process.
n = 1200;
repeats = str2double(getenv("REPEATS"));
rand("twister", 1);
X = rand(n);
A = X * X' + n * eye(n);
B = rand(n);
function measure(name, repeats, f)
  ms = zeros(1, repeats + 1);
  for i = 1:repeats + 1
    start = tic;
    f();
    ms(i) = 1000 * toc(start);
  end
  printf("%s %.3f\n", name, median(ms(2:end))); % the first run starts threads and touches memory
end
measure("octave_chol", repeats, @() chol(A));
measure("octave_inv", repeats, @() inv(A));
measure("octave_solve", repeats, @() A \ B);
