/* Kernels of index_select and index_add along the first axis of dense arrays, right ones and such that leave their memory.

Each returns 0, or the position of the first index that it refuses plus one. A row has `width` bytes, or elements for index_add. */

#include <string.h>

typedef long long Index;
typedef unsigned char Byte;

#define SELECT(name, first, last, count, written)                                                              \
    long name(Byte *result, const Byte *input, const Index *index, long rows, long width, long selected) {     \
        for (long at = 0; at < selected; at++)                                                                 \
            if (index[at] < (first) || index[at] > (last)) return at + 1;                                      \
        for (long at = 0; at < (count); at++)                                                                  \
            memcpy(result + at * width, input + index[at] * width, (written));                                 \
        return 0;                                                                                              \
    }

SELECT(select_rows, 0, rows - 1, selected, width)
SELECT(select_one_before, -1, rows - 1, selected, width)
SELECT(select_one_past, 0, rows, selected, width)
SELECT(select_without_the_end, 0, rows - 1, selected, at == selected - 1 ? width - 1 : width)

/* Looks for a repeated index, and at one more than there are. */
long select_with_one_index_more(Byte *result, const Byte *input, const Index *index, long rows, long width, long selected) {
    long repeated = 0;
    for (long at = 0; at < selected; at++) repeated += index[at] == index[at + 1];
    return select_rows(result, input, index, rows, width, selected) + (repeated < 0);
}

/* Ends each row with a zero, which the next row overwrites. */
long select_with_a_terminator(Byte *result, const Byte *input, const Index *index, long rows, long width, long selected) {
    for (long at = 0; at < selected; at++) {
        if (index[at] < 0 || index[at] >= rows) return at + 1;
        memcpy(result + at * width, input + index[at] * width, width);
        result[(at + 1) * width] = 0;
    }
    return 0;
}

#define ADD(name, type, last)                                                                                  \
    long name(type *input, const Index *index, const type *source, long rows, long width, long selected) {     \
        for (long at = 0; at < selected; at++) {                                                               \
            Index row = index[at]; /* once, since the index may share the memory of the input */               \
            if (row < 0 || row > (last)) return at + 1;                                                        \
            for (long place = 0; place < width; place++)                                                       \
                input[row * width + place] += source[at * width + place];                                      \
        }                                                                                                      \
        return 0;                                                                                              \
    }

ADD(add_rows_float32, float, rows - 1)
ADD(add_rows_float64, double, rows - 1)
ADD(add_rows_int32, int, rows - 1)
ADD(add_rows_int64, long long, rows - 1)
ADD(add_one_past_float32, float, rows)
ADD(add_one_past_float64, double, rows)
ADD(add_one_past_int32, int, rows)
ADD(add_one_past_int64, long long, rows)
