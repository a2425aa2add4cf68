; What only the grammar of plain JavaScript has.
(field_definition property: (_) @name value: [(arrow_function) (function_expression)] @function)
  @definition.function
(field_definition property: (_) @binding value: (new_expression constructor: (_) @class))
