"""A local web page over the same functions that the command line uses (extra ``app``)."""
