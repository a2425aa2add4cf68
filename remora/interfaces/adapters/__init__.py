"""Remora inside other frameworks: one module for each, imported by who has that framework.

Each module imports its framework and nothing here imports the module, so `import remora` needs none of
them. They use what every program can use: the verbs of `Memory` and its `loop`. What fails in the memory
is never seen by the agent: it goes on without.
"""
