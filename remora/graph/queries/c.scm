; C, and what C++ shares with it. Names of functions are read from their declarators.
(function_definition declarator: (_) @declarator) @definition.function
(translation_unit (declaration declarator: [
  (function_declarator) (pointer_declarator declarator: (function_declarator))] @declarator) @definition.declared)
(preproc_ifdef (declaration declarator: [
  (function_declarator) (pointer_declarator declarator: (function_declarator))] @declarator) @definition.declared)
(preproc_if (declaration declarator: [
  (function_declarator) (pointer_declarator declarator: (function_declarator))] @declarator) @definition.declared)
(struct_specifier name: (_) @name body: (_)) @definition.class
(union_specifier name: (_) @name body: (_)) @definition.class
(enum_specifier name: (_) @name body: (_)) @definition.class
(type_definition declarator: (type_identifier) @name) @definition.type
(type_definition declarator: [(pointer_declarator) (function_declarator)] @declarator) @definition.type
(preproc_function_def name: (_) @name) @definition.macro

(preproc_include path: (_)) @import.include

(call_expression function: [
  (identifier) @reference.call
  (field_expression argument: (_) @receiver field: (field_identifier) @reference.call)])
(type_identifier) @reference.type
(struct_specifier name: (type_identifier) @reference.type)

(declaration type: (_) @type declarator: [
  (identifier) @binding
  (pointer_declarator declarator: (identifier) @binding)
  (array_declarator declarator: (identifier) @binding)
  (init_declarator declarator: [(identifier) @binding (pointer_declarator declarator: (identifier) @binding)])])
(parameter_declaration type: (_) @type declarator: [
  (identifier) @binding
  (pointer_declarator declarator: (identifier) @binding)])
(field_declaration type: (_) @type declarator: [
  (field_identifier) @binding
  (pointer_declarator declarator: (field_identifier) @binding)])

(comment) @comment
