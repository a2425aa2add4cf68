(class name: (_) @name) @definition.class
(module name: (_) @name) @definition.module
(method name: (_) @name) @definition.function
(singleton_method name: (_) @name) @definition.function
(call method: (identifier) @runner arguments: (argument_list . (_) @name) block: (_)) @definition.test
(assignment left: (constant) @name right: (call
  receiver: (constant) @_maker method: (identifier) @_new (#any-of? @_maker "Struct" "Class" "Data")
  (#any-of? @_new "new" "define"))) @definition.class

(call !receiver method: (identifier) @require arguments: (argument_list) @arguments
  (#any-of? @require "require" "require_relative" "load" "autoload")) @import.require

(call !receiver method: (_) @reference.call)
(call receiver: (_) @receiver method: (_) @reference.call (#not-eq? @reference.call "new"))
(call receiver: [(constant) (scope_resolution)] @reference.new method: (_) @_new (#eq? @_new "new"))

(assignment left: (identifier) @binding right: (call receiver: [(constant) (scope_resolution)] @class
  method: (_) @_new (#eq? @_new "new")))
(assignment left: (identifier) @binding right: (call method: (_) @_method (#not-eq? @_method "new")) @result)
(assignment left: (instance_variable) @binding.field right: (call receiver: [(constant) (scope_resolution)] @class
  method: (_) @_new (#eq? @_new "new")))
(operator_assignment left: (instance_variable) @binding.field
  right: (call receiver: [(constant) (scope_resolution)] @class method: (_) @_new (#eq? @_new "new")))

(comment) @comment
