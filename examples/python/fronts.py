"""Sparse Cholesky factorization by fronts: the dense work of each level of the tree is one ragged batch.

    python examples/python/fronts.py [--quick]

A separator cuts the unknowns of A·x = b into two parts that do not touch each other. Each part is cut again, and so on.
This makes a tree. A node of the tree is a front: a dense matrix F over the unknowns p that the node eliminates, and
over the later unknowns q that p touches. The front then leaves an update U for its parent:

    | F_pp  F_pq |   | L     0 |   | Lᵀ  W |
    |            | = |         | · |       |   with L·Lᵀ = F_pp, L·W = F_pq, U = F_qq − Wᵀ·W.
    | F_qp  F_qq |   | Wᵀ    I |   | 0   U |

Fronts of one level do not need each other. So one call of cholesky computes L for all of them, and one call of
solve_triangular computes W, although the fronts have different sizes.
"""
import sys
import time

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components, dijkstra
from scipy.sparse.linalg import spsolve

import trigon_linalg as tl

LEAF = 40  # unknowns; a smaller part is not cut again


class Front:
    def __init__(self, unknowns, children):
        self.unknowns, self.children = unknowns, children

    def number(self, a, start):
        """Names the unknowns by their place in the order of elimination. `a` is lower triangular, in that order."""
        end = start + len(self.unknowns)
        touched = [a.indices[a.indptr[start]:a.indptr[end]], *(child.q for child in self.children)]
        self.p = np.arange(start, end)
        self.q = np.setdiff1d(np.concatenate(touched), self.p)
        self.rows = np.concatenate([self.p, self.q])

    def assemble(self, a):
        """F_pp and F_qp: the columns p of A, and the updates of the children. Of F only the lower triangle counts."""
        self.matrix = np.zeros((len(self.rows), len(self.rows)))
        entries = slice(a.indptr[self.p[0]], a.indptr[self.p[-1] + 1])
        columns = np.repeat(self.p - self.p[0], np.diff(a.indptr)[self.p])
        self.matrix[np.searchsorted(self.rows, a.indices[entries]), columns] = a.data[entries]
        for child in self.children:
            where = np.searchsorted(self.rows, child.q)
            self.matrix[np.ix_(where, where)] += child.update
            child.matrix = child.update = None
        return np.split(self.matrix[:, :len(self.p)], [len(self.p)])


def distances(graph, start):
    return dijkstra(graph, indices=start, unweighted=True)


def components(graph, unknowns):
    count, label = connected_components(graph[unknowns][:, unknowns])
    return [unknowns[label == k] for k in range(count)]


def dissect(graph, unknowns, fronts, levels, depth=0):
    """Appends the fronts for these unknowns, children before their parent. Returns the last one.

    The unknowns are connected. The separator is what lies half as far from one end as the other end.
    """
    parts = []
    if len(unknowns) > LEAF:
        part = graph[unknowns][:, unknowns]
        far = distances(part, np.argmax(distances(part, 0)))
        separator = far == np.floor(np.median(far))
        parts = components(graph, unknowns[~separator])
        unknowns = unknowns[separator]
    front = Front(unknowns, [dissect(graph, part, fronts, levels, depth + 1) for part in parts])
    fronts.append(front)
    levels.setdefault(depth, []).append(front)
    return front


def analyze(a):
    """The fronts by levels, the root first; the order of elimination; and the lower triangle of A in that order."""
    graph, fronts, levels = abs(a).tocsr(), [], {}
    for part in components(graph, np.arange(a.shape[0])):
        dissect(graph, part, fronts, levels)
    order = np.concatenate([front.unknowns for front in fronts])
    a = sparse.tril(a.tocsr()[order][:, order], format="csc")
    start = 0
    for front in fronts:
        front.number(a, start)
        start += len(front.p)
    return [levels[depth] for depth in sorted(levels)], order, a


def factor(levels, a):
    """Gives each front its L and W. Returns the seconds that the calls of Trigon took."""
    dense = 0.0
    for level in reversed(levels):
        pairs = [front.assemble(a) for front in level]
        start = time.perf_counter()
        factors = tl.cholesky([f_pp for f_pp, _ in pairs], lower=True)
        above = tl.solve_triangular(factors, [f_qp.T for _, f_qp in pairs], lower=True)
        for front, front.L, front.W in zip(level, factors, above):
            front.update = front.matrix[len(front.p):, len(front.p):]
            tl.syrk(front.W, -1, 1, front.update, trans="T", lower=True, overwrite_c=True)
        dense += time.perf_counter() - start
    return dense


def solve(levels, b):
    """Solves for b in the order of elimination: up the tree with the fronts' L and Wᵀ, and down with Lᵀ and W."""
    x = b.copy()
    for level in reversed(levels):
        parts = tl.solve_triangular([front.L for front in level], [x[front.p] for front in level], lower=True)
        for front, part in zip(level, parts):
            x[front.p] = part
            x[front.q] -= front.W.T @ part
    for level in levels:
        right = [x[front.p] - front.W @ x[front.q] for front in level]
        parts = tl.solve_triangular([front.L for front in level], right, trans="T", lower=True)
        for front, part in zip(level, parts):
            x[front.p] = part
    return x


def laplacian(side):
    """−Δ on a cube of side³ points."""
    line = sparse.diags([-np.ones(side - 1), 2 * np.ones(side), -np.ones(side - 1)], [-1, 0, 1])
    plane = sparse.kronsum(line, line)
    return sparse.csc_matrix(sparse.kronsum(plane, line))


def main():
    a = laplacian(9 if "--quick" in sys.argv else 24)
    b = np.random.default_rng(1).standard_normal(a.shape[0])
    start = time.perf_counter()
    levels, order, permuted = analyze(a)
    analyzed = time.perf_counter()
    dense = factor(levels, permuted)
    factored = time.perf_counter()
    x = np.empty_like(b)
    x[order] = solve(levels, b[order])
    solved = time.perf_counter()
    reference = spsolve(a, b)
    compared = time.perf_counter()

    orders = [len(front.p) for level in levels for front in level]
    print(f"{len(b)} unknowns, {len(orders)} fronts in {len(levels)} levels, which eliminate 1 to {max(orders)}")
    print(f"analysis {analyzed - start:.3f} s, factorization {factored - analyzed:.3f} s, of which Trigon "
          f"{dense:.3f} s, solution {solved - factored:.3f} s; spsolve {compared - solved:.3f} s")
    residual = np.linalg.norm(a @ x - b) / (sparse.linalg.norm(a) * np.linalg.norm(x))
    difference = np.abs(x - reference).max() / np.abs(reference).max()
    print(f"residual {residual:.1e}, difference from spsolve {difference:.1e}")
    assert residual < 1e-14 and difference < 1e-10
    print("ok")


if __name__ == "__main__":
    main()
