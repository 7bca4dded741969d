# r_gp.R - the log likelihood of a Gaussian process with 1500 points, and its gradient by the length scale, in R. Prints
# a name and milliseconds a line: the median of REPEATS runs in this process.
repeats <- as.integer(Sys.getenv("REPEATS"))
set.seed(1)
n <- 1500
x <- matrix(runif(8 * n), n)
y <- sin(3 * rowSums(x))
squares <- as.matrix(dist(x))^2
likelihood <- function(scale) {
  k <- exp(-squares / (2 * scale^2))
  r <- chol(k + diag(0.01, n))
  alpha <- backsolve(r, backsolve(r, y, transpose = TRUE))
  value <- -sum(y * alpha) / 2 - sum(log(diag(r))) - n * log(2 * pi) / 2
  slope <- sum((tcrossprod(alpha) - chol2inv(r)) * k * squares) / (2 * scale^3)
  c(value, slope)
}
times <- numeric(0)
for (i in seq_len(repeats + 1)) {
  start <- proc.time()[["elapsed"]]
  likelihood(1 + i / 100)
  times <- c(times, 1000 * (proc.time()[["elapsed"]] - start))
}
cat(sprintf("r_gp_likelihood %.3f\n", median(times[-1]))) # the first run starts threads and touches memory
