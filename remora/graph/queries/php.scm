(class_declaration name: (_) @name) @definition.class
(enum_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(trait_declaration name: (_) @name) @definition.interface
(method_declaration name: (_) @name) @definition.function
(function_definition name: (_) @name) @definition.function

(namespace_definition name: (_) @package)
(namespace_use_declaration) @import.use
(require_expression (_) @path) @import.require
(require_once_expression (_) @path) @import.require
(include_expression (_) @path) @import.include
(include_once_expression (_) @path) @import.include

(function_call_expression function: [(name) (qualified_name)] @reference.call)
(member_call_expression object: (_) @receiver name: (name) @reference.call)
(nullsafe_member_call_expression object: (_) @receiver name: (name) @reference.call)
(scoped_call_expression scope: (_) @receiver name: (name) @reference.call)
(object_creation_expression [(name) (qualified_name)] @reference.new)
(attribute [(name) (qualified_name)] @reference.decorator)
(named_type [(name) (qualified_name)] @reference.type)

(assignment_expression left: (variable_name) @binding
  right: (object_creation_expression [(name) (qualified_name)] @class))
(assignment_expression left: (variable_name) @binding
  right: [(function_call_expression) (member_call_expression) (scoped_call_expression)] @result)
(assignment_expression left: (member_access_expression object: (variable_name (name) @_this) name: (name) @binding.field)
  right: (object_creation_expression [(name) (qualified_name)] @class) (#eq? @_this "this"))
(simple_parameter type: (_) @type name: (variable_name) @binding)
(property_promotion_parameter type: (_) @type name: (variable_name) @binding)
(property_promotion_parameter type: (_) @type name: (variable_name (name) @binding.field))
(property_declaration type: (_) @type (property_element name: (variable_name (name) @binding.field)))

(comment) @comment
