(class_declaration name: (_) @name) @definition.class
(struct_declaration name: (_) @name) @definition.class
(record_declaration name: (_) @name) @definition.class
(enum_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(delegate_declaration name: (_) @name) @definition.type
(method_declaration name: (_) @name) @definition.function
(constructor_declaration name: (_) @name) @definition.function
(local_function_statement name: (_) @name) @definition.function

(namespace_declaration name: (_) @package)
(file_scoped_namespace_declaration name: (_) @package)
(using_directive) @import.using

(invocation_expression function: [
  (identifier) @reference.call
  (generic_name . (identifier) @reference.call)
  (member_access_expression expression: (_) @receiver name: [
    (identifier) @reference.call
    (generic_name . (identifier) @reference.call)])
  (conditional_access_expression condition: (_) @receiver (member_binding_expression name: [
    (identifier) @reference.call
    (generic_name . (identifier) @reference.call)]))])
(object_creation_expression type: (_) @reference.new)
(attribute name: (_) @reference.decorator)
(variable_declaration type: (_) @reference.annotation)
(parameter type: (_) @reference.annotation)
(property_declaration type: (_) @reference.annotation)
(method_declaration returns: (_) @reference.annotation)

(variable_declaration type: (_) @type (variable_declarator name: (_) @binding))
(variable_declarator name: (_) @binding (object_creation_expression type: (_) @class))
(variable_declarator name: (_) @binding (invocation_expression function: (_) @call))
(variable_declarator name: (_) @binding (await_expression (invocation_expression function: (_) @call)))
(property_declaration type: (_) @type name: (_) @binding)
(parameter type: (_) @type name: (_) @binding)
(foreach_statement type: (_) @type left: (identifier) @binding)
(assignment_expression left: (member_access_expression expression: "this" name: (_) @binding.field)
  right: (object_creation_expression type: (_) @class))

(comment) @comment
