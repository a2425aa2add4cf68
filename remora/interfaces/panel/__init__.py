"""The panel: the memory of this machine in a browser. It has no behaviour of its own, only the verbs.

A request goes through `guard` (who may ask), `app` (which page), `pages` or `actions` (one verb of `Memory`),
and leaves as the JSON of that verb or as a template in the person's language (`words`).
"""
