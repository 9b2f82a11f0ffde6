"""A file per verb: a thin click command around one library call."""
