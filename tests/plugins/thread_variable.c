/* thread_variable.c - a library with a thread-local variable.
 *
 * The loader allocates the variable in threads that use the variable. */
int *thread_variable(void);
int *thread_variable(void) {
  static _Thread_local int variable[512];
  return variable;
}
