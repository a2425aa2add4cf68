(class_declaration name: (_) @name) @definition.class
(enum_declaration name: (_) @name) @definition.class
(record_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(annotation_type_declaration name: (_) @name) @definition.interface
(method_declaration name: (_) @name) @definition.function
(constructor_declaration name: (_) @name) @definition.function
(compact_constructor_declaration name: (_) @name) @definition.function

(package_declaration [(identifier) (scoped_identifier)] @package)
(import_declaration) @import.import

(method_invocation !object name: (_) @reference.call)
(method_invocation object: (_) @receiver name: (_) @reference.call)
(method_reference . (_) @receiver (identifier) @reference.call .)
(object_creation_expression type: (_) @reference.new)
(marker_annotation name: (_) @reference.decorator)
(annotation name: (_) @reference.decorator)
(type_identifier) @reference.type
(scoped_type_identifier) @reference.type

(local_variable_declaration type: (_) @type declarator: (variable_declarator name: (_) @binding))
(field_declaration type: (_) @type declarator: (variable_declarator name: (_) @binding))
(variable_declarator name: (_) @binding value: (object_creation_expression type: (_) @class))
(variable_declarator name: (_) @binding value: (method_invocation) @result)
(formal_parameter type: (_) @type name: (_) @binding)
(enhanced_for_statement type: (_) @type name: (_) @binding)
(resource type: (_) @type name: (_) @binding)
(resource name: (_) @binding value: (object_creation_expression type: (_) @class))
(assignment_expression left: (field_access object: (this) field: (_) @binding.field)
  right: (object_creation_expression type: (_) @class))

(line_comment) @comment
(block_comment) @comment
