(function_declaration name: (_) @name) @definition.function
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @target)) name: (_) @name)
  @definition.function
(type_spec name: (_) @name type: (struct_type)) @definition.class
(type_spec name: (_) @name type: (interface_type)) @definition.interface
(type_spec name: (_) @name
  type: [(type_identifier) (qualified_type) (pointer_type) (slice_type) (array_type) (map_type) (channel_type)
    (function_type) (generic_type) (parenthesized_type)]) @definition.type
(type_alias name: (_) @name) @definition.type
(method_elem name: (_) @name) @definition.function
(type_declaration "type" . [(type_spec) (type_alias)] @inner) @extent

(package_clause (package_identifier) @package)
(import_spec) @import.import

(call_expression function: [
  (identifier) @reference.call
  (selector_expression operand: (_) @receiver field: (_) @reference.call)])
(call_expression function: (type_instantiation_expression type: (_) @reference.call))
(type_conversion_expression type: (generic_type type: (type_identifier) @reference.call))
(composite_literal type: [(type_identifier) (qualified_type) (generic_type)] @reference.new)
(type_identifier) @reference.type
(qualified_type package: (_) @receiver name: (_) @reference.type)

(short_var_declaration
  left: (expression_list . (identifier) @binding)
  right: (expression_list . (call_expression function: [(identifier) (selector_expression)] @call)))
(short_var_declaration
  left: (expression_list . (identifier) @binding)
  right: (expression_list . [
    (composite_literal type: (_) @class)
    (unary_expression operand: (composite_literal type: (_) @class))
    (call_expression function: (identifier) @_new arguments: (argument_list . [(type_identifier) (qualified_type)] @class))])
  (#eq? @_new "new"))
(short_var_declaration
  left: (expression_list . (identifier) @binding)
  right: (expression_list . [
    (composite_literal type: (_) @class)
    (unary_expression operand: (composite_literal type: (_) @class))]))
(var_spec name: (identifier) @binding type: (_) @type)
(var_spec name: (identifier) @binding
  value: (expression_list . (call_expression function: [(identifier) (selector_expression)] @call)))
(var_spec name: (identifier) @binding
  value: (expression_list . [
    (composite_literal type: (_) @class)
    (unary_expression operand: (composite_literal type: (_) @class))]))
(assignment_statement
  left: (expression_list . (identifier) @binding)
  right: (expression_list . (call_expression function: [(identifier) (selector_expression)] @call)))
(parameter_declaration name: (identifier) @binding type: (_) @type)
(field_declaration name: (_) @binding type: (_) @type)

(comment) @comment
