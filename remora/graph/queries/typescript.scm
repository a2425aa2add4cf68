; What TypeScript adds to JavaScript.
(abstract_class_declaration name: (_) @name) @definition.class
(enum_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(type_alias_declaration name: (_) @name) @definition.type
(function_signature name: (_) @name) @definition.function
(method_signature name: (_) @name) @definition.function
(abstract_method_signature name: (_) @name) @definition.function
(internal_module name: [(identifier) (nested_identifier)] @name) @definition.module
(module name: [(identifier) (nested_identifier)] @name) @definition.module
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)] @function)
  @definition.function

(ambient_declaration (_) @inner) @extent
(class_body (decorator) @prefix)

(import_statement (import_require_clause (identifier) @target source: (string) @source)) @import.require
(export_statement "=" [(identifier) (new_expression)] @value) @import.default

(type_identifier) @reference.type

(variable_declarator name: (identifier) @binding type: (type_annotation) @type)
(required_parameter pattern: (identifier) @binding type: (type_annotation) @type)
(optional_parameter pattern: (identifier) @binding type: (type_annotation) @type)
(required_parameter (accessibility_modifier) pattern: (identifier) @binding.field type: (type_annotation) @type)
(public_field_definition name: (_) @binding type: (type_annotation) @type)
(public_field_definition name: (_) @binding value: (new_expression constructor: (_) @class))
(property_signature name: (_) @binding type: (type_annotation) @type)
(variable_declarator name: (identifier) @binding value: (as_expression (_) (type_identifier) @type))

; `await a.f<T>(x)` is read as a call of `await a.f`.
(call_expression function: (await_expression [
  (identifier) @reference.call
  (member_expression object: (_) @receiver property: (_) @reference.call)]))
