; Definitions. A decorated one is found inside its decorators; the extent is taken from around it.
(function_definition name: (identifier) @name) @definition.function
(class_definition name: (identifier) @name) @definition.class
(decorated_definition definition: (_) @inner) @extent
(type_alias_statement left: (type [(identifier) @name (generic_type . (identifier) @name)])) @definition.type
(module (expression_statement (assignment left: (identifier) @name right: (lambda)) @definition.function))
(class_definition body: (block (expression_statement
  (assignment left: (identifier) @name right: (lambda)) @definition.function)))

; Imports.
(import_statement) @import.import
(import_from_statement) @import.from

; Names offered to `import *`.
(module (expression_statement (assignment left: (identifier) @_all right: (_) @export)) (#eq? @_all "__all__"))
(module (expression_statement (augmented_assignment left: (identifier) @_all right: (_) @export))
  (#eq? @_all "__all__"))
(module (expression_statement (call
  function: (attribute object: (identifier) @_all) arguments: (argument_list) @export))
  (#eq? @_all "__all__"))

; Uses.
(call function: [
  (identifier) @reference.call
  (attribute object: (_) @receiver attribute: (identifier) @reference.call)])
(decorator [
  (identifier) @reference.decorator
  (attribute object: (_) @receiver attribute: (identifier) @reference.decorator)
  (call function: [
    (identifier) @reference.decorator
    (attribute object: (_) @receiver attribute: (identifier) @reference.decorator)])])
(typed_parameter type: (type) @reference.annotation)
(typed_default_parameter type: (type) @reference.annotation)
(function_definition return_type: (type) @reference.annotation)
(assignment type: (type) @reference.annotation)

; Variables whose type is seen. A field that is set to a variable has its type.
(assignment left: (identifier) @binding
  right: [(call function: [(identifier) (attribute)] @call) (await (call function: [(identifier) (attribute)] @call))])
(assignment left: (identifier) @binding type: (type) @type)
(assignment left: (attribute object: (identifier) @_self attribute: (identifier) @binding.field)
  right: [(call function: [(identifier) (attribute)] @call) (await (call function: [(identifier) (attribute)] @call))]
  (#any-of? @_self "self" "cls"))
(assignment left: (attribute object: (identifier) @_self attribute: (identifier) @binding.field)
  type: (type) @type (#any-of? @_self "self" "cls"))
(assignment left: (attribute object: (identifier) @_self attribute: (identifier) @binding.field)
  right: [(identifier) @held (boolean_operator left: (identifier) @held)
    (conditional_expression . (identifier) @held)] (#any-of? @_self "self" "cls"))
(named_expression name: (identifier) @binding value: (call function: [(identifier) (attribute)] @call))
(with_item value: (as_pattern (call function: [(identifier) (attribute)] @call)
  alias: (as_pattern_target (identifier) @binding)))
(typed_parameter . (identifier) @binding type: (type) @type)
(typed_default_parameter name: (identifier) @binding type: (type) @type)

(comment) @comment
