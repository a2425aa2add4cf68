; What C++ adds to C.
(class_specifier name: (_) @name body: (_)) @definition.class
(namespace_definition name: (_) @name) @definition.module
(alias_declaration name: (_) @name) @definition.type
(concept_definition name: (_) @name) @definition.interface
(translation_unit (declaration declarator: (reference_declarator (function_declarator)) @declarator)
  @definition.declared)
(declaration_list (declaration declarator: [
  (function_declarator) (pointer_declarator declarator: (function_declarator))
  (reference_declarator (function_declarator))] @declarator) @definition.declared)
(template_declaration (declaration declarator: [
  (function_declarator) (pointer_declarator declarator: (function_declarator))
  (reference_declarator (function_declarator))] @declarator) @definition.declared)
(field_declaration_list [
  (declaration declarator: (function_declarator) @declarator)
  (field_declaration declarator: [
    (function_declarator) (pointer_declarator declarator: (function_declarator))
    (reference_declarator (function_declarator))] @declarator)] @definition.declared)
(template_declaration [(class_specifier) (struct_specifier) (function_definition) (declaration)
  (alias_declaration) (concept_definition) (field_declaration)] @inner) @extent


(call_expression function: [(qualified_identifier) (template_function)] @reference.call)
(call_expression function: (field_expression argument: (_) @receiver
  field: (template_method name: (_) @reference.call)))
(new_expression type: (_) @reference.new)
(qualified_identifier scope: (_) @receiver name: (type_identifier) @reference.type)

(declaration type: (_) @type declarator: [
  (reference_declarator (identifier) @binding)
  (init_declarator declarator: (reference_declarator (identifier) @binding))])
(parameter_declaration type: (_) @type declarator: (reference_declarator (identifier) @binding))
(optional_parameter_declaration type: (_) @type declarator: [
  (identifier) @binding
  (pointer_declarator declarator: (identifier) @binding)
  (reference_declarator (identifier) @binding)])
(field_declaration type: (_) @type declarator: (reference_declarator (field_identifier) @binding))
(declaration type: (placeholder_type_specifier) declarator: (init_declarator
  declarator: [(identifier) @binding (pointer_declarator declarator: (identifier) @binding)]
  value: [(new_expression type: (_) @class) (call_expression function: (_) @call)]))
(declaration type: (placeholder_type_specifier) declarator: (init_declarator
  declarator: (identifier) @binding
  value: (call_expression function: (qualified_identifier name: (template_function name: (identifier) @_make
    arguments: (template_argument_list . (type_descriptor type: (_) @class))))))
  (#match? @_make "^make_(unique|shared)$"))
(for_range_loop type: (_) @type declarator: [(identifier) @binding (reference_declarator (identifier) @binding)])
