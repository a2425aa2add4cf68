"""Ruby files are required by the load path, and constants are found in the whole program."""

from __future__ import annotations

import pytest

from tests.graph.projects import Project

TREE = {
    "lib/shop.rb": "module Shop\n  def self.open(name)\n    Cart.new(name).fill_up\n  end\nend\n",
    "lib/shop/cart.rb": "module Shop\n  class Cart < Base\n    def initialize(name)\n"
    "      @item = Item.new(name)\n    end\n"
    "    def fill_up\n      @item.price_of\n      self.helper_thing\n      Item.build_all\n    end\n"
    "    def helper_thing; end\n  end\nend\n",
    "lib/shop/item.rb": "module Shop\n  class Item\n    def self.build_all; end\n    def price_of; end\n"
    "  end\nend\n",
    "lib/shop/base.rb": "module Shop\n  class Base\n  end\nend\n",
    "lib/shop/json.rb": "",
    "spec/spec_helper.rb": "",
}


@pytest.mark.parametrize(
    ("path", "line", "expected"),
    [
        ("bin/x.rb", 'require "shop/cart"', ["lib/shop/cart.rb"]),
        ("bin/x.rb", 'require "json"', []),
        ("lib/shop/x.rb", 'require_relative "item"', ["lib/shop/item.rb"]),
        ("lib/shop/x.rb", 'require_relative "../shop"', ["lib/shop.rb"]),
        ("spec/deep/x_spec.rb", 'require "spec_helper"', ["spec/spec_helper.rb"]),
    ],
)
def test_a_require_names_a_file(path: str, line: str, expected: list[str]) -> None:
    """Relative paths, library folders and the tests' helpers are found; the standard library is not."""
    assert Project({**TREE, path: line + "\n"}).imports(path) == expected


def test_calls_follow_constants_and_fields() -> None:
    """Constants of the same module, instance variables and `new` lead to classes and methods."""
    project = Project(TREE)
    assert set(project.calls("lib/shop.rb", "Shop.open")) == {
        "lib/shop/cart.rb:Shop.Cart",
        "lib/shop/cart.rb:Shop.Cart.fill_up",
    }
    assert set(project.calls("lib/shop/cart.rb", "Shop.Cart.fill_up")) == {
        "lib/shop/item.rb:Shop.Item.price_of",
        "lib/shop/cart.rb:Shop.Cart.helper_thing",
        "lib/shop/item.rb:Shop.Item.build_all",
    }
    assert set(project.targets("lib/shop/cart.rb", "inherits", "Shop.Cart")) == {"lib/shop/base.rb:Shop.Base"}
    assert project.imports("lib/shop/cart.rb") == ["lib/shop/base.rb", "lib/shop/item.rb"]


def test_a_mixed_in_module_is_implemented_and_gives_its_methods() -> None:
    """`include`, `extend` and `prepend` are edges to the module; its methods come before the base class's."""
    project = Project(
        {
            "lib/walks.rb": "module Walks\n  def walk_far; step_once(); end\n"
            "  def step_once; self.rest; self.bark_loud; end\n  def rest; end\nend\n",
            "lib/finders.rb": "module Finders\n  def find_all; end\nend\n",
            "lib/checks.rb": "module Checks\n  include Walks\n  def rest; super(); end\nend\n",
            "lib/animal.rb": "class Animal\n  def rest; end\nend\n",
            "lib/dog.rb": "class Dog < Animal\n  include Walks\n  extend Finders\n  prepend Checks\n"
            "  def go; walk_far(); self.rest; end\n  def rest; super(); end\n"
            "  def bark_loud; end\nend\n",
            "bin/run.rb": "dog = Dog.new\ndog.walk_far\nDog.find_all\n",
        }
    )
    assert project.targets("lib/dog.rb", "implements", "Dog") == {
        "lib/walks.rb:Walks": 0.75,
        "lib/finders.rb:Finders": 0.75,
        "lib/checks.rb:Checks": 0.75,
    }
    assert set(project.targets("lib/dog.rb", "inherits", "Dog")) == {"lib/animal.rb:Animal"}
    assert set(project.targets("lib/checks.rb", "inherits", "Checks")) == {"lib/walks.rb:Walks"}
    assert project.imports("lib/dog.rb") == [
        "lib/animal.rb",
        "lib/checks.rb",
        "lib/finders.rb",
        "lib/walks.rb",
    ]
    assert set(project.calls("lib/dog.rb", "Dog.go")) == {
        "lib/walks.rb:Walks.walk_far",
        "lib/dog.rb:Dog.rest",
    }
    assert set(project.calls("lib/dog.rb", "Dog.rest")) == {"lib/checks.rb:Checks.rest"}
    assert set(project.calls("lib/checks.rb", "Checks.rest")) == {"lib/walks.rb:Walks.rest"}
    assert project.calls("lib/walks.rb", "Walks.step_once") == {
        "lib/walks.rb:Walks.rest": 0.95,
        "lib/dog.rb:Dog.bark_loud": 0.4,
    }
    assert project.calls("bin/run.rb") == {
        "lib/dog.rb:Dog": 0.75,
        "lib/walks.rb:Walks.walk_far": 0.75,
        "lib/finders.rb:Finders.find_all": 0.75,
    }
