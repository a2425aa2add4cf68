"""Adapters for agent frameworks, one module per framework.

Each module imports its framework, and Remora imports none of the modules, so `import remora` requires no
framework. Adapters call only the public verbs of `Memory` and its `loop`. A failure of the memory never
reaches the agent, which continues without it.
"""
