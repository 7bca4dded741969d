collect_ignore = ["gpu"]  # a program for machines with a GPU, which needs PyTorch and CuPy
