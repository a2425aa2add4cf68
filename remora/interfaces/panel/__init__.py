"""Web panel for the memories of this machine; it only calls verbs of `Memory`.

A request passes `guard` (authentication), `app` (routing), and `pages` or `actions` (one verb of `Memory`).
The response is the verb's JSON or a template in the user's language (`words`).
"""
