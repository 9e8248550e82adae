"""The queue: first in, first out, nobody twice, nobody frozen."""

from collections import deque

import numpy as np

from arcs.kernels.bundles import bundle
from arcs.kernels.order.queue import clear, is_empty, pop, push
from arcs.kernels.order.records import Queue


def new_queue(p):
    nodes, flags = np.zeros(p, np.int64), [np.zeros(p, np.uint8) for _ in range(2)]
    return bundle(Queue(nodes, np.zeros(2, np.int64), *flags))


def test_it_does_what_a_plain_queue_does():
    queue, plain, rng = new_queue(6), deque(), np.random.default_rng(0)
    queue.frozen[4] = 1
    for _ in range(400):
        if rng.random() < 0.55:
            u = int(rng.integers(6))
            push(queue, u)
            if u not in plain and u != 4:
                plain.append(u)
        elif plain:
            assert pop(queue) == plain.popleft()
        assert is_empty(queue) == (not plain)
        assert queue.ends[1] == len(plain)
        assert set(np.flatnonzero(queue.queued)) == set(plain)


def test_everybody_can_be_sent_away():
    queue = new_queue(4)
    for u in (3, 1, 2):
        push(queue, u)
    clear(queue)
    assert is_empty(queue)
    assert not queue.queued.any()
