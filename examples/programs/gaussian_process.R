# gaussian_process.R - Gaussian process regression: finds the length scale and the noise by the marginal likelihood.
#
#     trigon run -- Rscript examples/programs/gaussian_process.R [--quick]
#
# Nothing in this program is Trigon's. chol, backsolve and chol2inv call DPOTRF, DTRSM and DPOTRI, which `trigon run`
# brings. The kernel is k(x, x') = exp(-(x - x')^2 / (2 l^2)), and the covariance is C = K + s^2 I = R'R:
#     value     -y'C^-1 y / 2 - sum(log(diag(R))) - n log(2 pi) / 2
#     gradient  trace((a a' - C^-1) dC) / 2, where a = C^-1 y
quick <- "--quick" %in% commandArgs(trailingOnly = TRUE)
n <- if (quick) 200 else 1500
set.seed(1)
x <- sort(runif(n, -5, 5))
y <- sin(2 * x) + rnorm(n, sd = 0.1)
squares <- outer(x, x, "-")^2

model <- function(p) { # p holds the logarithms of l and s
  k <- exp(-squares / (2 * exp(2 * p[1])))
  r <- chol(k + diag(exp(2 * p[2]), n))
  list(k = k, r = r, a = backsolve(r, backsolve(r, y, transpose = TRUE)))
}
value <- function(p) {
  m <- model(p)
  -sum(y * m$a) / 2 - sum(log(diag(m$r))) - n * log(2 * pi) / 2
}
gradient <- function(p) {
  m <- model(p)
  w <- tcrossprod(m$a) - chol2inv(m$r)
  c(sum(w * m$k * squares) / (2 * exp(2 * p[1])), sum(diag(w)) * exp(2 * p[2]))
}

start <- c(0, -1)
numerical <- sapply(1:2, function(i) {
  h <- replace(numeric(2), i, 1e-5)
  (value(start + h) - value(start - h)) / 2e-5
})
stopifnot(all.equal(gradient(start), numerical, tolerance = 1e-4))

found <- optim(start, value, gradient, method = "L-BFGS-B", lower = c(-3, -5), upper = c(3, 1),
               control = list(fnscale = -1))
m <- model(found$par)
at <- seq(-4.5, 4.5, length.out = 50)
mean <- exp(-outer(at, x, "-")^2 / (2 * exp(2 * found$par[1]))) %*% m$a
error <- max(abs(mean - sin(2 * at)))
cat(sprintf("length scale %.3f, noise %.3f, log likelihood %.1f, largest error %.3f\n", exp(found$par[1]),
            exp(found$par[2]), found$value, error))
stopifnot(error < 0.2, abs(exp(found$par[2]) - 0.1) < 0.03)
cat("ok\n")
