"""Background knowledge: what is known of the graph before any data are looked at.

:class:`Knowledge` holds the statements; :meth:`Knowledge.resolve` turns them into the two boolean
matrices that searches obey; :func:`read_knowledge` and :func:`write_knowledge` know three file
formats.
"""

from arcs.knowledge.classes import admissible_member, one_way, restricted_class
from arcs.knowledge.files import read_knowledge, write_knowledge
from arcs.knowledge.statements import Knowledge, Restrictions

__all__ = [
    "Knowledge",
    "Restrictions",
    "admissible_member",
    "one_way",
    "read_knowledge",
    "restricted_class",
    "write_knowledge",
]
