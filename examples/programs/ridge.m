% ridge.m - ridge regression: finds the penalty by the errors of leaving out each observation once.
%
%     trigon run -- octave examples/programs/ridge.m [--quick]
%
% Nothing in this program is Trigon's. X' * X, chol, / and \ call DSYRK, DPOTRF, DTRTRS and DPOTRS, which `trigon run`
% brings. With X'*X + penalty*I = R'*R the fit without observation i misses it by (y_i - x_i*b) / (1 - h_i), where h_i
% is the squared length of row i of X/R. So one factorization gives all n errors.
quick = any (strcmp (argv (), "--quick"));
if quick
  n = 300; k = 60;
else
  n = 3000; k = 800;
end
rand ("twister", 1); randn ("twister", 1);
X = randn (n, k) * diag (1 ./ (1:k));
b_true = randn (k, 1);
y = X * b_true + 0.5 * randn (n, 1);

function [b, missed] = ridge (X, y, penalty)
  R = chol (X' * X + penalty * eye (columns (X)));
  b = R \ (R' \ (X' * y));
  missed = (y - X * b) ./ (1 - sumsq (X / R, 2));
end

penalties = 10 .^ (-3:0.5:3);
errors = zeros (size (penalties));
for i = 1:numel (penalties)
  [~, missed] = ridge (X, y, penalties(i));
  errors(i) = sqrt (mean (missed .^ 2));
end
[least, best] = min (errors);
[b, missed] = ridge (X, y, penalties(best));

% Three observations are really left out. A \ B, with a positive definite A, calls DPOTRF and DPOTRS.
for i = [1, 17, n]
  kept = [1:i-1, i+1:n];
  without = (X(kept, :)' * X(kept, :) + penalties(best) * eye (k)) \ (X(kept, :)' * y(kept));
  assert (y(i) - X(i, :) * without, missed(i), -1e-8);
end
printf ("penalty %.3g, error of an observation left out %.3f; with penalty %.3g %.3f\n", penalties(best), least, ...
        penalties(1), errors(1));
assert (least < errors(1));
printf ("ok\n");
