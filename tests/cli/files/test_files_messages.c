/* test_files_messages.c - every message of the readers of matrix files.
 *
 * The message must name the line or byte of the error. */
#define _XOPEN_SOURCE 700
#include "test_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file, and the message of the reader after the path. */
typedef struct broken {
  const char *content, *message;
} broken;

static void must_say(const char *name, const void *content, size_t size, const char *message) {
  put_file(scratch(name), content, size);
  char why[512] = "", want[512];
  snprintf(want, sizeof want, "%s%s", scratch(name), message);
  matrix_file file;
  bool ok = matrix_read(scratch(name), &file, why, sizeof why);
  CHECK(!ok && strcmp(why, want) == 0, "expected the message\n  %s\nfound\n  %s", want, ok ? "none" : why);
  CHECK(file.matrix.data == NULL && file.matrix.rows == 0, "%s: the matrix is not empty", name);
  matrix_free(&file);
  remove(scratch(name));
}

#define BANNER "%%MatrixMarket matrix "
#define COORDINATES BANNER "coordinate real general\n"
#define ARRAYS BANNER "array real general\n"

static const broken markets[] = {
    /* banner */
    {"", ":1: expected \"%%MatrixMarket\" or a NumPy file, found the end of the file"},
    {"\n", ":1: expected \"%%MatrixMarket\" or a NumPy file, found the end of the line"},
    {"%MatrixMarket", ":1: expected \"%%MatrixMarket\" or a NumPy file, found \"%MatrixMarket\""},
    {"\x7f\x45LF\x01 and so on", ":1: expected \"%%MatrixMarket\" or a NumPy file, found \"\\x7fELF\\x01\""},
    {"%%MatrixMarket vector", ":1: expected \"matrix\", found \"vector\""},
    {"%%MatrixMarket", ":1: expected \"matrix\", found the end of the line"},
    {BANNER "dense", ":1: expected \"coordinate\" or \"array\", found \"dense\""},
    {BANNER "array float", ":1: expected \"real\", \"integer\" or \"complex\", found \"float\""},
    {BANNER "coordinate pattern general",
     ":1: expected \"real\", \"integer\" or \"complex\", found \"pattern\": such a file has no values"},
    {BANNER "array real triangular", ":1: expected \"general\", \"symmetric\" or \"hermitian\", found \"triangular\""},
    {BANNER "array real skew-symmetric",
     ":1: expected \"general\", \"symmetric\" or \"hermitian\", found \"skew-symmetric\", which is not supported"},
    {BANNER "array real Hermitian", ":1: expected \"complex\" with \"hermitian\", found \"real\""},
    {BANNER "array integer hermitian", ":1: expected \"complex\" with \"hermitian\", found \"integer\""},
    {BANNER "array real general indeed", ":1: expected the end of the line, found \"indeed\""},
    /* sizes */
    {COORDINATES "% only\n\n", ":4: expected the numbers of rows and columns, found the end of the file"},
    {COORDINATES "x 2 1\n", ":2: expected a number of rows from 0 to 9223372036854775807, found \"x\""},
    {COORDINATES "-1 2 1\n", ":2: expected a number of rows from 0 to 9223372036854775807, found \"-1\""},
    {COORDINATES "%\n9223372036854775808 2 1\n",
     ":3: expected a number of rows from 0 to 9223372036854775807, found \"9223372036854775808\""},
    {COORDINATES "2 2.0 1\n", ":2: expected a number of columns from 0 to 9223372036854775807, found \"2.0\""},
    {COORDINATES "2\n", ":2: expected a number of columns from 0 to 9223372036854775807, found the end of the line"},
    {COORDINATES "2 2\n", ":2: expected a number of entries from 0 to 9223372036854775807, found the end of the line"},
    {COORDINATES "0 2 1\n", ":2: expected a number of entries from 0 to 0, found \"1\""},
    {COORDINATES "2 2 1 1\n", ":2: expected the end of the line, found \"1\""},
    {ARRAYS "2 2 4\n", ":2: expected the end of the line, found \"4\""},
    {BANNER "array real symmetric\n2 3\n",
     ":2: expected as many columns as rows in a symmetric matrix, found 2 rows and 3 columns"},
    {BANNER "array complex hermitian\n3 2\n",
     ":2: expected as many columns as rows in a hermitian matrix, found 3 rows and 2 columns"},
    {ARRAYS "1000000000 1000000000\n1\n", ": out of memory for a matrix of 1000000000 x 1000000000 entries of 8 bytes"},
    {COORDINATES "1000000000 1000000000 1\n1 1 1\n",
     ": out of memory for a matrix of 1000000000 x 1000000000 entries of 8 bytes"},
    {BANNER "array complex general\n9223372036854775807 9223372036854775807\n",
     ": out of memory for a matrix of 9223372036854775807 x 9223372036854775807 entries of 16 bytes"},
    {BANNER "array complex general\n2 576460752303423488\n", /* 2^64 bytes */
     ": out of memory for a matrix of 2 x 576460752303423488 entries of 16 bytes"},
    {ARRAYS "1 1152921504606846976\n", /* 2^63 bytes */
     ": out of memory for a matrix of 1 x 1152921504606846976 entries of 8 bytes"},
    /* entries */
    {COORDINATES "5 2 1\n7 1 1\n", ":3: expected a row index from 1 to 5, found \"7\""},
    {COORDINATES "5 2 1\n\n0 1 1\n", ":4: expected a row index from 1 to 5, found \"0\""},
    {COORDINATES "5 2 1\n1.5 1 1\n", ":3: expected a row index from 1 to 5, found \"1.5\""},
    {COORDINATES "5 2 1\n5 3 1\n", ":3: expected a column index from 1 to 2, found \"3\""},
    {COORDINATES "5 2 1\n5\n", ":3: expected a column index from 1 to 2, found the end of the line"},
    {COORDINATES "5 2 1\n5 2\n", ":3: expected a number, found the end of the line"},
    {COORDINATES "5 2 1\n5 2 1,5\n", ":3: expected a number, found \"1,5\""},
    {COORDINATES "5 2 1\n5 2 1.5e\n", ":3: expected a number, found \"1.5e\""},
    {COORDINATES "5 2 1\n5 2 0x1p3\n", ":3: expected a number, found \"0x1p3\""},
    {COORDINATES "5 2 1\n5 2 nan(1)\n", ":3: expected a number, found \"nan(1)\""},
    {COORDINATES "5 2 1\n5 2 1.0D+\n", ":3: expected a number, found \"1.0D+\""},
    {COORDINATES "5 2 1\n5 2 1D3D4\n", ":3: expected a number, found \"1D3D4\""},
    {COORDINATES "5 2 1\n5 2 1E3D4\n", ":3: expected a number, found \"1E3D4\""},
    {COORDINATES "5 2 1\n5 2 D3\n", ":3: expected a number, found \"D3\""},
    {COORDINATES "5 2 1\n5 2 1D999\n", ":3: expected a number within the range of double precision, found \"1D999\""},
    {BANNER "array integer general\n1 1\n1D2\n", ":3: expected an integer, found \"1D2\""},
    {COORDINATES "5 2 1\r5 2\r", ":3: expected a number, found the end of the line"},
    {COORDINATES "5 2 1\r\n5 2\r\n", ":3: expected a number, found the end of the line"},
    {COORDINATES "5 2 1\n\r\n\r\r\n\n5 2\n", ":7: expected a number, found the end of the line"},
    {"\xef\xbb" BANNER, ":1: expected \"%%MatrixMarket\" or a NumPy file, found \"\\xef\\xbb%%MatrixMarket\""},
    {COORDINATES "\xef\xbb\xbf",
     ":2: expected a number of rows from 0 to 9223372036854775807, found \"\\xef\\xbb\\xbf\""},
    {COORDINATES "5 2 1\n5 2 1e999\n", ":3: expected a number within the range of double precision, found \"1e999\""},
    {ARRAYS "1 1\n-1e309\n", ":3: expected a number within the range of double precision, found \"-1e309\""},
    {COORDINATES "5 2 1\n5 2 1 1\n", ":3: expected the end of the line, found \"1\""},
    {COORDINATES "5 2 1\n5 2 1 % so\n", ":3: expected the end of the line, found \"%\""},
    {COORDINATES "5 2 1\n5 2 \x1b[31m\xc3\xa9\n", ":3: expected a number, found \"\\x1b[31m\\xc3\\xa9\""},
    {COORDINATES "5 2 1\n5 2 "
                 "1234567890123456789012345678901234567890x\n",
     ":3: expected a number, found \"1234567890123456789012345678901234567890\"..."},
    {COORDINATES "5 2 2\n5 2 1\n", ":4: expected 2 entries, found the end of the file after 1"},
    {COORDINATES "5 2 1\n", ":3: expected 1 entries, found the end of the file after 0"},
    {COORDINATES "5 2 1\n5 2 1\n%\n5 1 1\n", ":5: expected the end of the file after 1 entries, found \"5 1 1\""},
    {COORDINATES "5 2 0\n5 2 1\n", ":3: expected the end of the file after 0 entries, found \"5 2 1\""},
    {ARRAYS "2 2\n1\n2\n3\n", ":6: expected 4 entries, found the end of the file after 3"},
    {ARRAYS "2 2\n1\n2\n3\n4\n5\n", ":7: expected the end of the file after 4 entries, found \"5\""},
    {ARRAYS "2 2\n1 2\n3 4\n", ":3: expected the end of the line, found \"2\""},
    {BANNER "array real symmetric\n2 2\n1\n2\n", ":5: expected 3 entries, found the end of the file after 2"},
    {BANNER "array real symmetric\n2 2\n1\n2\n3\n4\n", ":6: expected the end of the file after 3 entries, found \"4\""},
    {BANNER "array integer general\n1 1\n1.5\n", ":3: expected an integer, found \"1.5\""},
    {BANNER "array integer general\n1 1\ninf\n", ":3: expected an integer, found \"inf\""},
    {BANNER "array integer general\n1 1\n1e2\n", ":3: expected an integer, found \"1e2\""},
    {BANNER "array complex general\n1 1\nx 1\n", ":3: expected a real part, found \"x\""},
    {BANNER "array complex general\n1 1\n1\n", ":3: expected an imaginary part, found the end of the line"},
    {BANNER "array complex general\n1 1\n1 2i\n", ":3: expected an imaginary part, found \"2i\""},
    {BANNER "coordinate real symmetric\n2 2 2\n1 2 1\n2 1 1.0000000000000002\n",
     ": expected entries (2,1) and (1,2) of a symmetric matrix to agree, found 1.0000000000000002 and 1"},
    {BANNER "coordinate real symmetric\n2 2 2\n1 2 1\n2 1 0\n",
     ": expected entries (2,1) and (1,2) of a symmetric matrix to agree, found 0 and 1"},
    {BANNER "coordinate integer symmetric\n9 9 4\n9 7 1\n7 9 1\n9 8 3\n7 9 1\n",
     ": expected entries (9,7) and (7,9) of a symmetric matrix to agree, found 1 and 2"},
    {BANNER "coordinate complex hermitian\n2 2 2\n1 2 1 2\n2 1 1 2\n",
     ": expected entries (2,1) and (1,2) of a hermitian matrix to agree, found 1+2i and 1+2i"},
    {BANNER "coordinate complex symmetric\n2 2 2\n1 2 1 2\n2 1 1 -2\n",
     ": expected entries (2,1) and (1,2) of a symmetric matrix to agree, found 1-2i and 1+2i"},
    {BANNER "coordinate complex hermitian\n2 2 1\n2 2 1 0.5\n",
     ":3: expected a zero imaginary part on the diagonal of a hermitian matrix, found 0.5"},
    {BANNER "array complex hermitian\n1 1\n2 nan\n",
     ":3: expected a zero imaginary part on the diagonal of a hermitian matrix, found nan"},
};

#define MAGIC "\x93NUMPY"
#define GOOD "'descr': '<f8', 'fortran_order': True, "
#define TYPES "'<' or '>' with b1, i1, i2, i4, i8, u1, u2, u4, u8, f2, f4, f8, c8 or c16"

/* Headers of version 1, and the message after the number of the wrong byte. The header begins at byte 10. */
static const broken headers[] = {
    {"", ": byte 10: expected '{', found the end of the header"},
    {"[]", ": byte 10: expected '{', found \"[]\""},
    {"{}", ": byte 10: expected the key 'descr', found none"},
    {"{'descr': '<f8'}", ": byte 10: expected the key 'fortran_order', found none"},
    {"{" GOOD "}", ": byte 10: expected the key 'shape', found none"},
    {"{shape", ": byte 11: expected a key in quotation marks or '}', found \"shape\""},
    {"{'shape", ": byte 11: expected a key in quotation marks or '}', found \"'shape\""},
    {"{'shapes': 1}", ": byte 11: expected 'descr', 'fortran_order' and 'shape', each once, found \"'shapes': 1}\""},
    {"{'shape': (), \"shape\": ()}",
     ": byte 24: expected 'descr', 'fortran_order' and 'shape', each once, found \"\"shape\": ()}\""},
    {"{'descr' '<f8'", ": byte 19: expected ':', found \"'<f8'\""},
    {"{'descr': '<i3'}", ": byte 20: expected " TYPES ", found \"'<i3'}\""},
    {"{'descr': '<c4'}", ": byte 20: expected " TYPES ", found \"'<c4'}\""},
    {"{'descr': '<'}", ": byte 20: expected " TYPES ", found \"'<'}\""},
    {"{'descr': '<i8', 'fortran_order': True, 'shape': (2, 1)}", ": byte 66: expected 16 bytes of numbers, found 11"},
    {"{'descr': '<u1', 'fortran_order': False, 'shape': (3, 4)}", ": byte 67: expected 12 bytes of numbers, found 11"},
    {"{'descr': '|b1', 'fortran_order': False, 'shape': (2, 5)}",
     ": byte 77: expected the end of the file after 2 x 5 numbers, found more"},
    {"{'descr': 'f8'}", ": byte 20: expected " TYPES ", found \"'f8'}\""},
    {"{'descr': ''}", ": byte 20: expected " TYPES ", found \"''}\""},
    {"{'descr': '<f16'}", ": byte 20: expected " TYPES ", found \"'<f16'}\""},
    {"{'descr': '<f", ": byte 20: expected " TYPES ", found \"'<f\""},
    {"{'descr': [('x', '<f8')]}", ": byte 20: expected " TYPES ", found \"[('x', '<f8')]}\""},
    {"{'descr': '<f8' 'shape'", ": byte 26: expected ',' or '}', found \"'shape'\""},
    {"{'fortran_order': 1}", ": byte 28: expected True or False, found \"1}\""},
    {"{'shape': [1]}", ": byte 20: expected '(', found \"[1]}\""},
    {"{'shape': (3)}", ": byte 22: expected ',', found \")}\""},
    {"{'shape': (3 4)}", ": byte 23: expected ',', found \"4)}\""},
    {"{'shape': (3, 4 5)}", ": byte 26: expected ',' or ')', found \"5)}\""},
    {"{'shape': (3, 4, 5)}", ": byte 27: expected at most two dimensions and ')', found \"5)}\""},
    {"{'shape': (-3,)}", ": byte 21: expected a dimension, found \"-3,)}\""},
    {"{'shape': (3, x)}", ": byte 24: expected a dimension, found \"x)}\""},
    {"{'shape': (9223372036854775808,)}", ": byte 21: expected a dimension, found \"9223372036854775808,)}\""},
    {"{'shape': (3,", ": byte 23: expected a dimension, found the end of the header"},
    {"{'shape': (1, 1)} and more", ": byte 10: expected the key 'descr', found none"},
    {"{" GOOD "'shape': (1, 1)} and more", ": byte 67: expected nothing but blanks after '}', found \"and more\""},
    {"{" GOOD "'shape': (1000000000, 1000000000)}",
     ": out of memory for a matrix of 1000000000 x 1000000000 entries of 8 bytes"},
    {"{" GOOD "'shape': (2, 1)}", ": byte 66: expected 16 bytes of numbers, found 11"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (20000, 2)}",
     ": byte 71: expected 320000 bytes of numbers, found 11"},
    {"{" GOOD "'shape': (1, 1)}", ": byte 74: expected the end of the file after 1 x 1 numbers, found more"},
    {"{" GOOD "'shape': (0,)}", ": byte 64: expected the end of the file after 0 x 1 numbers, found more"},
};

static void test_headers(void) {
  static const char numbers[] = "12345678901"; /* eleven bytes: one double, and not a second one */
  for (size_t k = 0; k < sizeof headers / sizeof *headers; k++) {
    char content[256] = MAGIC "\x01";
    size_t length = strlen(headers[k].content);
    content[8] = (char)length;
    memcpy(content + 10, headers[k].content, length);
    memcpy(content + 10 + length, numbers, sizeof numbers - 1);
    must_say("broken.npy", content, 10 + length + sizeof numbers - 1, headers[k].message);
  }
  static const struct {
    const char *content;
    size_t size;
    const char *message;
  } starts[] = {
      {MAGIC, 6, ": byte 0: expected 8 bytes of magic string and version, found 6"},
      {"\x93NUMPX\x01\x00", 8, ": byte 0: expected \"\\x93NUMPY\", found \"\\x93NUMPX\""},
      {MAGIC "\x04\x00", 8, ": byte 6: expected version 1.0, 2.0 or 3.0, found 4.0"},
      {MAGIC "\x00\x00", 8, ": byte 6: expected version 1.0, 2.0 or 3.0, found 0.0"},
      {MAGIC "\x01\x02", 8, ": byte 6: expected version 1.0, 2.0 or 3.0, found 1.2"},
      {MAGIC "\x01\x00\x05", 9, ": byte 8: expected 2 bytes of header length, found 1"},
      {MAGIC "\x02\x00\x05\x00", 10, ": byte 8: expected 4 bytes of header length, found 2"},
      {MAGIC "\x02\x00\xff\xff\xff\xff", 12, ": byte 8: expected a header of at most 65535 bytes, found 4294967295"},
      {MAGIC "\x01\x00\x05\x00{}", 12, ": byte 10: expected 5 bytes of header, found 2"},
      {MAGIC "\x03\x00\x05\x00\x00\x00{}", 14, ": byte 12: expected 5 bytes of header, found 2"},
  };
  for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
    must_say("broken.npy", starts[k].content, starts[k].size, starts[k].message);
  }
}

/* Headers that NumPy does not write, but reads. */
static void test_unusual_headers(void) {
  static const char *const unusual[] = {
      "{'shape':(2,1),'fortran_order':False,'descr':'<f8'}",
      "{\"descr\": \"<f8\", \"fortran_order\": True, \"shape\": (2, 1,), }   \n",
      " {'descr' : '=f8' , 'fortran_order' : True , 'shape' : ( 2 , 1 ) , } ",
      "{'descr': '|f8', 'fortran_order': True, 'shape': (2,)}",
      "{'descr': '<f8',\n 'fortran_order': True,\n 'shape': (2,),\n}\n",
  };
  for (size_t k = 0; k < sizeof unusual / sizeof *unusual; k++) {
    char content[256] = MAGIC "\x01", why[256] = "";
    double numbers[2] = {1.5, -2.5};
    size_t length = strlen(unusual[k]);
    content[8] = (char)length;
    memcpy(content + 10, unusual[k], length);
    memcpy(content + 10 + length, numbers, sizeof numbers);
    put_file(scratch("unusual.npy"), content, 10 + length + sizeof numbers);
    matrix_file file;
    if (CHECK(matrix_read(scratch("unusual.npy"), &file, why, sizeof why), "%s: %s", unusual[k], why)) {
      CHECK(file.matrix.rows == 2 && file.matrix.cols == 1 && element(&file.matrix, 1, 0).re == -2.5,
            "%s: wrong matrix", unusual[k]);
    }
    matrix_free(&file);
  }
  remove(scratch("unusual.npy"));
}

static void must_fail_with(const char *path, const char *message) {
  char why[512] = "", want[512];
  snprintf(want, sizeof want, "%s%s", path, message);
  matrix_file file;
  CHECK(!matrix_read(path, &file, why, sizeof why) && strcmp(why, want) == 0, "expected\n  %s\nfound\n  %s", want, why);
  matrix_free(&file);
}

/* A matrix that gzip compressed, and that is then cut, changed within, or given a wrong check sum; and files that
 * are not gzip's. */
static void test_streams(void) {
  static const char text[] = ARRAYS "2 2\n1\n2\n3\n4\n";
  put_gzip(scratch("whole.gz"), text, sizeof text - 1);
  bytes whole = get_file(scratch("whole.gz"));
  must_say("cut.gz", whole.data, whole.size - 1, ": the gzip data are cut off: unexpected end of the file");
  must_say("cut.gz", whole.data, 20, ": the gzip data are cut off: unexpected end of the file");
  whole.data[whole.size - 1] ^= 1;
  must_say("length.gz", whole.data, whole.size, ": the gzip data are broken: incorrect length check");
  whole.data[whole.size - 1] ^= 1;
  whole.data[whole.size - 8] ^= 1;
  must_say("sum.gz", whole.data, whole.size, ": the gzip data are broken: incorrect data check");
  whole.data[2] = 7;
  must_say("method.gz", whole.data, whole.size, ": the gzip data are broken: unknown compression method");
  free(whole.data);
  remove(scratch("whole.gz"));

  must_fail_with(scratch("none.mtx"), ": cannot open: No such file or directory");
  mkdir(scratch("folder.mtx"), 0700);
  must_fail_with(scratch("folder.mtx"), ": cannot read: Is a directory");
  rmdir(scratch("folder.mtx"));

  char small[16];
  matrix_file file;
  CHECK(!matrix_read(scratch("none.mtx"), &file, small, sizeof small) && strlen(small) == sizeof small - 1,
        "a message is cut to its buffer");
  CHECK(!matrix_read(scratch("none.mtx"), &file, NULL, 0), "no message is wanted");
}

void test_messages(void) {
  for (size_t k = 0; k < sizeof markets / sizeof *markets; k++) {
    must_say("broken.mtx", markets[k].content, strlen(markets[k].content), markets[k].message);
  }
  static char line[(1 << 20) + 200]; /* one byte too long */
  size_t start = (size_t)snprintf(line, sizeof line, "%s%%", ARRAYS);
  memset(line + start, '-', 1 << 20);
  memcpy(line + start + (1 << 20), "\n1 1\n1\n", 8);
  must_say("broken.mtx", line, start + (1 << 20) + 8,
           ":2: expected a line of at most 1048576 bytes, found a longer one");
  static const char nul[] = ARRAYS "1 1\n1\0002\n";
  must_say("broken.mtx", nul, sizeof nul - 1, ":3: expected a number, found \"1\\x002\"");
  test_headers();
  test_unusual_headers();
  test_streams();
  CHECK(scratch_files() == 0, "files are left over");
}
