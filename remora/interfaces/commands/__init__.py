"""The verbs of the command line, a module for each kind; loaded when one is called."""
