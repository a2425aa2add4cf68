; JavaScript, and what TypeScript shares with it.
(function_declaration name: (_) @name) @definition.function
(generator_function_declaration name: (_) @name) @definition.function
(class_declaration name: (_) @name) @definition.class
(class name: (_) @name) @definition.class
(method_definition name: (_) @name) @definition.function
(variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)] @function) @definition.function
; const Button = memo(() => …), forwardRef(…), useCallback(…)
(variable_declarator name: (identifier) @name
  value: (call_expression arguments: (arguments . [(arrow_function) (function_expression)] @function)))
  @definition.function
(variable_declarator name: (identifier) @name value: (class) @class) @definition.class
(assignment_expression
  left: (member_expression object: (_) @target property: (_) @name)
  right: [(arrow_function) (function_expression) (generator_function)] @function) @definition.function
(assignment_expression
  left: (member_expression object: (_) @target property: (_) @name) right: (class !name) @class)
  @definition.class
; The functions of an object at the top level: const api = {get: () => …} has "api.get".
(program (_ (variable_declarator name: (identifier) @name value: (object) @container)))
(program (export_statement declaration: (_ (variable_declarator name: (identifier) @name
  value: (object) @container))))
(program (_ (variable_declarator value: (object (pair
  key: (property_identifier) @name value: [(arrow_function) (function_expression)] @function)
  @definition.function))))
(program (export_statement declaration: (_ (variable_declarator value: (object (pair
  key: (property_identifier) @name value: [(arrow_function) (function_expression)] @function)
  @definition.function)))))
(program (export_statement value: (object (pair
  key: (property_identifier) @name value: [(arrow_function) (function_expression)] @function)
  @definition.function)))
(program (expression_statement (assignment_expression right: (object (pair
  key: (property_identifier) @name value: [(arrow_function) (function_expression)] @function)
  @definition.function))))

(export_statement value: [(arrow_function) (function_expression) (generator_function)] @function)
  @definition.default_function
(export_statement value: (class !name) @class) @definition.default_class

(export_statement declaration: (_) @inner) @extent
(export_statement value: (class) @inner) @extent
(lexical_declaration . (variable_declarator) @inner) @extent
(variable_declaration . (variable_declarator) @inner) @extent

; Tests: describe("…", () => …), it.each(…)("…", …)
(call_expression
  function: [(identifier) (member_expression) (call_expression)] @runner
  arguments: (arguments . [(string) (template_string)] @name . [(arrow_function) (function_expression)] @function))
  @definition.test

; Imports.
(import_statement) @import.import
(export_statement source: (_)) @import.export
(export_statement !source (export_clause)) @import.export
(export_statement value: [(identifier) (new_expression)] @value) @import.default
(export_statement "default" declaration: (_ name: (_) @value)) @import.default
(assignment_expression left: (member_expression) @_whole right: [(identifier) (new_expression)] @value
  (#eq? @_whole "module.exports")) @import.default
(assignment_expression left: (member_expression) @_whole right: (class name: (_) @value)
  (#eq? @_whole "module.exports")) @import.default
(assignment_expression left: (member_expression) @target
  right: (call_expression function: (identifier) @_require arguments: (arguments . (string) @source))
  (#eq? @target "module.exports") (#eq? @_require "require")) @import.require
(call_expression function: (identifier) @_require arguments: (arguments . (string) @source)
  (#eq? @_require "require")) @import.require
(variable_declarator name: (_) @target
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @source))
  (#eq? @_require "require")) @import.require
(variable_declarator name: (_) @target
  value: (member_expression
    object: (call_expression function: (identifier) @_require arguments: (arguments . (string) @source))
    property: (property_identifier) @member)
  (#eq? @_require "require")) @import.require
(call_expression function: (import) arguments: (arguments . [(string) (template_string)] @source))
  @import.dynamic
(variable_declarator name: (_) @target
  value: (await_expression
    (call_expression function: (import) arguments: (arguments . [(string) (template_string)] @source))))
  @import.dynamic

; Uses.
(call_expression function: [
  (identifier) @reference.call
  (member_expression object: (_) @receiver property: (_) @reference.call)])
(new_expression constructor: [
  (identifier) @reference.new
  (member_expression object: (_) @receiver property: (_) @reference.new)])
(decorator [
  (identifier) @reference.decorator
  (member_expression object: (_) @receiver property: (_) @reference.decorator)
  (call_expression function: [
    (identifier) @reference.decorator
    (member_expression object: (_) @receiver property: (_) @reference.decorator)])])

; Variables whose type is seen.
(variable_declarator name: (identifier) @binding value: (new_expression constructor: (_) @class))
(variable_declarator name: (identifier) @binding
  value: (call_expression function: [(identifier) (member_expression)] @call))
(variable_declarator name: (identifier) @binding
  value: (await_expression (call_expression function: [(identifier) (member_expression)] @call)))
(assignment_expression left: (identifier) @binding right: (new_expression constructor: (_) @class))
(assignment_expression left: (member_expression object: (this) property: (_) @binding.field)
  right: (new_expression constructor: (_) @class))
(assignment_expression left: (member_expression object: (this) property: (_) @binding.field)
  right: (call_expression function: [(identifier) (member_expression)] @call))

(comment) @comment
