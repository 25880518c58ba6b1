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

long select_backwards(Byte *result, const Byte *input, const Index *index, long rows, long width, long selected) {
    for (long at = selected; at-- > 0;) {
        if (index[at] < 0 || index[at] >= rows) return at + 1;
        memcpy(result + at * width, input + index[at] * width, width);
    }
    return 0;
}

/* Eight bytes at once, and then the rest of a row. */
long select_in_words(Byte *result, const Byte *input, const Index *index, long rows, long width, long selected) {
    for (long at = 0; at < selected; at++) {
        if (index[at] < 0 || index[at] >= rows) return at + 1;
        long place = 0;
        for (; place + 8 <= width; place += 8) memcpy(result + at * width + place, input + index[at] * width + place, 8);
        for (; place < width; place++) result[at * width + place] = input[index[at] * width + place];
    }
    return 0;
}

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

#define ADD_BACKWARDS(name, type)                                                                              \
    long name(type *input, const Index *index, const type *source, long rows, long width, long selected) {     \
        for (long at = selected; at-- > 0;) {                                                                  \
            Index row = index[at];                                                                             \
            if (row < 0 || row >= rows) return at + 1;                                                         \
            for (long place = width; place-- > 0;) input[row * width + place] += source[at * width + place];   \
        }                                                                                                      \
        return 0;                                                                                              \
    }

#define ADD_BY_COLUMNS(name, type)                                                                             \
    long name(type *input, const Index *index, const type *source, long rows, long width, long selected) {     \
        for (long place = 0; place < width; place++)                                                           \
            for (long at = 0; at < selected; at++) {                                                           \
                Index row = index[at];                                                                         \
                if (row < 0 || row >= rows) return at + 1;                                                     \
                input[row * width + place] += source[at * width + place];                                      \
            }                                                                                                  \
        return 0;                                                                                              \
    }

#define FOR_EACH_TYPE(KIND, name)                                                                              \
    KIND(name##_float32, float) KIND(name##_float64, double) KIND(name##_int32, int) KIND(name##_int64, long long)

#define ADD_ROWS(name, type) ADD(name, type, rows - 1)
#define ADD_ONE_PAST(name, type) ADD(name, type, rows)

FOR_EACH_TYPE(ADD_ROWS, add_rows)
FOR_EACH_TYPE(ADD_BACKWARDS, add_backwards)
FOR_EACH_TYPE(ADD_BY_COLUMNS, add_by_columns)
FOR_EACH_TYPE(ADD_ONE_PAST, add_one_past)
