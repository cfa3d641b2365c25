/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The peers of sorting_and_graphs.cu.
 */
#include <stddef.h>

#define EACH 8
#define FAR 1000000000

void merge_path(const int *restrict a, int size_a, const int *restrict b, int size_b, int *restrict to)
{
    int i = 0, j = 0;
    while (i < size_a && j < size_b) {
        const int x = a[i], y = b[j], first = x <= y;
        *to++ = first ? x : y;
        i += first;
        j += !first;
    }
    while (i < size_a)
        *to++ = a[i++];
    while (j < size_b)
        *to++ = b[j++];
}

void topk(const float *restrict x, float *restrict values, int *restrict indices, int rows, int columns)
{
    for (int r = 0; r < rows; r++) {
        const float *row = x + (ptrdiff_t)r * columns;
        float best[EACH];
        int at[EACH];
        for (int k = 0; k < EACH; k++) {
            best[k] = -3.4e38f;
            at[k] = -1;
        }
        for (int i = 0; i < columns; i++)
            if (row[i] > best[EACH - 1]) {
                int k = EACH - 1;
                while (k > 0 && best[k - 1] < row[i]) {
                    best[k] = best[k - 1];
                    at[k] = at[k - 1];
                    k--;
                }
                best[k] = row[i];
                at[k] = i;
            }
        for (int k = 0; k < EACH; k++) {
            values[r * EACH + k] = best[k];
            indices[r * EACH + k] = at[k];
        }
    }
}

void bellman_ford(const int *restrict sources, const int *restrict targets, const int *restrict lengths,
                  int *restrict distances, int n, int edges, int rounds)
{
    for (int i = 0; i < n; i++)
        distances[i] = i ? FAR : 0;
    for (int round = 0; round < rounds; round++)
        for (int e = 0; e < edges; e++) {
            const int distance = distances[sources[e]] + lengths[e];
            if (distance < distances[targets[e]])
                distances[targets[e]] = distance;
        }
}

static int find(int v, int *parents)
{
    while (parents[v] != v) {
        parents[v] = parents[parents[v]];
        v = parents[v];
    }
    return v;
}

void components(const int *restrict sources, const int *restrict targets, int *restrict parents, int n, int edges)
{
    for (int i = 0; i < n; i++)
        parents[i] = i;
    for (int e = 0; e < edges; e++) {
        const int u = find(sources[e], parents), v = find(targets[e], parents);
        if (u < v)
            parents[v] = u;
        else if (v < u)
            parents[u] = v;
    }
    for (int i = 0; i < n; i++)
        parents[i] = find(i, parents);
}

void triangles(const int *restrict starts, const int *restrict targets, int n, unsigned long long *total)
{
    unsigned long long count = 0;
    for (int u = 0; u < n; u++)
        for (int e = starts[u]; e < starts[u + 1]; e++) {
            const int v = targets[e], a_end = starts[u + 1], b_end = starts[v + 1];
            int a = starts[u], b = starts[v];
            while (a < a_end && b < b_end) {
                const int x = targets[a], y = targets[b];
                count += x == y;
                a += x <= y;
                b += y <= x;
            }
        }
    *total = count;
}
