% octave_tests.m - Octave's tests of linear algebra, file by file. Prints for each file how many tests passed, how many
% are known to fail or to be skipped, and how many there are.
builtin_tests = [__octave_config_info__("octtestsdir") "/libinterp/corefcn/%s.cc-tst"];
builtins = {"chol", "det", "qr", "svd", "schur", "sqrtm", "eig", "lu", "hess", "inv", "pinv", "sylvester", "qz", ...
            "ordschur", "ordqz", "gsvd", "givens", "kron", "rcond", "dot", "matrix_type", "mgorth", "tril"};
functions = {"cond", "condest", "expm", "krylov", "linsolve", "logm", "lscov", "normest", "null", "ols", "orth", ...
             "rank", "rref", "subspace", "isdefinite", "housh", "qzhess", "condeig", "gls", "ordeig"};
fixed = {"leftdiv", "diag-perm"};
files = [cellfun(@(name) sprintf(builtin_tests, name), builtins, "UniformOutput", false), ...
         cellfun(@(name) which(name), functions, "UniformOutput", false), ...
         cellfun(@(name) [__octave_config_info__("octtestsdir") "/fixed/" name ".tst"], fixed, ...
                 "UniformOutput", false)];
for i = 1:numel(files)
  [passed, count, known, bugs, skipped, unskippable, regressions] = test(files{i}, "quiet", "octave.failures");
  [~, name] = fileparts(files{i});
  printf("tests %s %d %d %d\n", name, passed, known + bugs + skipped + unskippable, count);
end
