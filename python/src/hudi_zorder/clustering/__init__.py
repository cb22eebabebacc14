"""Clusterings through Hudi's own service: planned, executed, cancelled, measured."""
