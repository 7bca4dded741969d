"""A recommender by alternating least squares: thousands of small normal equations in one call.

    python examples/python/als.py [--quick]

Ratings r of users u and items i are approximated by r ≈ x_u·y_i with vectors of `rank` numbers. With the items' vectors
fixed, the vector of each user solves a least squares problem of its own, whose normal equations are positive definite:
    (Y_uᵀ·Y_u + λ·I)·x_u = Y_uᵀ·r_u, where Y_u has the vectors of the items that u has rated.
All users are one call of posv; then users and items change places.
"""
import sys
import time

import numpy as np

import trigon_linalg as tl


def normal_equations(rows, ids, values, other, penalty):
    """The stack of normal equations. Ratings are sorted by row; row k has those from rows[k] to rows[k + 1]."""
    count, rank = len(rows) - 1, other.shape[1]
    matrices = np.empty((count, rank, rank))
    right = np.empty((count, rank, 1))
    for k in range(count):
        part = other[ids[rows[k]:rows[k + 1]]]
        np.matmul(part.T, part, out=matrices[k])
        right[k, :, 0] = part.T @ values[rows[k]:rows[k + 1]]
    matrices[:, range(rank), range(rank)] += penalty
    return matrices, right


def compressed(rows, count):
    """For sorted row numbers: where each row begins, and where the last one ends."""
    return np.searchsorted(rows, np.arange(count + 1))


def main():
    quick = "--quick" in sys.argv
    users, items, rank, penalty = (300, 200, 8, 0.1) if quick else (6000, 4000, 32, 0.1)
    random = np.random.default_rng(1)
    truth = random.standard_normal((users, rank)), random.standard_normal((items, rank))
    count = users * (40 if quick else 100)
    pairs = np.unique(random.integers(0, users * items, count))
    u, i = pairs // items, pairs % items
    ratings = (truth[0][u] * truth[1][i]).sum(axis=1) + 0.05 * random.standard_normal(len(pairs))

    by_item = np.argsort(i, kind="stable")
    user_rows, item_rows = compressed(u, users), compressed(i[by_item], items)
    x, y = 0.1 * random.standard_normal((users, rank)), 0.1 * random.standard_normal((items, rank))
    solving = 0.0
    for sweep in range(10):
        for rows, ids, values, side in ((user_rows, i, ratings, 0), (item_rows, u[by_item], ratings[by_item], 1)):
            matrices, right = normal_equations(rows, ids, values, (y, x)[side], penalty)
            start = time.perf_counter()
            solution = tl.posv(matrices, right, overwrite_a=True, overwrite_b=True)[..., 0]
            solving += time.perf_counter() - start
            if side == 0:
                x = solution
            else:
                y = solution
        error = np.sqrt(np.mean(((x[u] * y[i]).sum(axis=1) - ratings) ** 2))
        print(f"sweep {sweep + 1}: error {error:.4f}")
    print(f"{10 * (users + items)} systems of order {rank} in {solving:.3f} s")
    assert error < 0.2

    # Ragged: users with fewer ratings than `rank` are cheaper in the dual form, whose order is the number of ratings.
    few = [k for k in range(users) if 0 < user_rows[k + 1] - user_rows[k] < rank][:1000] or [0]
    parts = [y[i[user_rows[k]:user_rows[k + 1]]] for k in few]
    grams = [part @ part.T + penalty * np.eye(len(part)) for part in parts]
    duals = tl.posv(grams, [ratings[user_rows[k]:user_rows[k + 1]] for k in few])
    matrices, right = normal_equations(user_rows, i, ratings, y, penalty)
    primal = tl.posv(matrices[few], right[few])[..., 0]
    assert all(np.allclose(part.T @ dual, p) for part, dual, p in zip(parts, duals, primal))
    print("ok")


if __name__ == "__main__":
    main()
