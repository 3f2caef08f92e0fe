// SPDX-License-Identifier: Apache-2.0
// Walks down a binary search tree of uneven depth: the largest key that is no larger than the one asked for.
struct node {
    uint key;
    int left, right;
};

kernel void walk(global const struct node *nodes, global const uint *asked, global uint *answer)
{
    int i = get_global_id(0), at = 0;
    uint key = asked[i], best = 0;
    while (at >= 0) {
        struct node node = nodes[at];
        if (key == node.key) {
            best = key;
            break;
        }
        if (key > node.key) {
            best = node.key;
            at = node.right;
        } else {
            at = node.left;
        }
    }
    answer[i] = best;
}
