(function_item name: (_) @name) @definition.function
(function_signature_item name: (_) @name) @definition.function
(struct_item name: (_) @name) @definition.class
(enum_item name: (_) @name) @definition.class
(union_item name: (_) @name) @definition.class
(trait_item name: (_) @name) @definition.interface
(type_item name: (_) @name) @definition.type
(mod_item name: (_) @name body: (_)) @definition.module
(macro_definition name: (_) @name) @definition.function
(impl_item type: (_) @name) @container

(attribute_item) @prefix

(use_declaration argument: (_) @use) @import.use
(mod_item !body) @import.mod
(extern_crate_declaration) @import.crate

(call_expression function: [
  (identifier) @reference.call
  (field_expression value: (_) @receiver field: (_) @reference.call)
  (generic_function function: (field_expression value: (_) @receiver field: (_) @reference.call))])
(call_expression function: [(scoped_identifier) (generic_function function: [(identifier) (scoped_identifier)])]
  @reference.call)
(macro_invocation macro: (_) @reference.call)
(macro_invocation macro: (_) @macro (token_tree) @reference.tokens)
(struct_expression name: (_) @reference.new)
(attribute_item (attribute . [(identifier) (scoped_identifier)] @reference.decorator))
(type_identifier) @reference.type
(scoped_type_identifier path: (_) @receiver name: (_) @reference.type)

(let_declaration pattern: (identifier) @binding type: (_) @type)
(let_declaration pattern: (identifier) @binding !type value: [
  (call_expression function: (_) @call)
  (try_expression (call_expression function: (_) @call))
  (await_expression (call_expression function: (_) @call))
  (try_expression (await_expression (call_expression function: (_) @call)))
  (struct_expression name: (_) @class)])
(parameter pattern: (identifier) @binding type: (_) @type)
(field_declaration name: (_) @binding type: (_) @type)

(line_comment) @comment
(block_comment) @comment
