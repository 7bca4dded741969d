/* main.c - a program of test_subproject.sh: describes the contexts that its arguments name. */
void describe(const char *name);
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) describe(argv[i]);
}
