"""The queue of nodes that wait to be reinserted."""

from arcs.kernels.jit import inlined

__all__ = ["clear", "is_empty", "pop", "push"]

#: Meaning of the entries of ``Queue.ends``.
_HEAD, _SIZE = 0, 1


@inlined
def is_empty(queue):
    """Whether nobody waits."""
    return queue.ends[_SIZE] == 0


@inlined
def push(queue, u):
    """Append u, unless it is in the queue or frozen."""
    if queue.queued[u] == 0 and queue.frozen[u] == 0:
        queue.queued[u] = 1
        queue.nodes[(queue.ends[_HEAD] + queue.ends[_SIZE]) % queue.nodes.shape[0]] = u
        queue.ends[_SIZE] += 1


@inlined
def pop(queue):
    """Take the first node off."""
    v = queue.nodes[queue.ends[_HEAD]]
    queue.ends[_HEAD] = (queue.ends[_HEAD] + 1) % queue.nodes.shape[0]
    queue.ends[_SIZE] -= 1
    queue.queued[v] = 0
    return v


@inlined
def clear(queue):
    """Send everybody away."""
    while queue.ends[_SIZE] > 0:
        pop(queue)
