void describe(const char *name);
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) describe(argv[i]);
}
