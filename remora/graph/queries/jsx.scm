; Elements of components are calls of them; names in small letters are tags of the page.
(jsx_opening_element name: [
  (identifier) @reference.call
  (member_expression object: (_) @receiver property: (_) @reference.call)]
  (#match? @reference.call "^[A-Z]"))
(jsx_self_closing_element name: [
  (identifier) @reference.call
  (member_expression object: (_) @receiver property: (_) @reference.call)]
  (#match? @reference.call "^[A-Z]"))
