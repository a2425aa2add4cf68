"""C# names lead to the files that define the types in use."""

from __future__ import annotations

from tests.graph.projects import Project

TREE = {
    "App/Program.cs": """using System;
using App.Models;
using M = App.Models.Order;
namespace App.Run {
  public class Program : BaseRunner, IRun {
    private readonly User _user = new User("a");
    public static void Main(string[] args) { Helper.Go(); M o = new M(); o.Total();
      Begin(); Console.WriteLine(); }
    public void Two() { _user.Rename("q"); Three(); }
    void Three() {}
  }
}
""",
    "App/BaseRunner.cs": "namespace App.Run;\n"
    "public abstract class BaseRunner { protected static void Begin() {} }\n"
    "public interface IRun { void Two(); }\n",
    "App/Models/User.cs": "namespace App.Models {\n"
    " public class User { public void Rename(string n) {} }\n}\n",
    "App/Models/Order.cs": "namespace App.Models;\npublic class Order { public int Total() => 1; }\n",
    "App/Models/Unused.cs": "namespace App.Models;\npublic class Unused { }\n",
    "App/Helper.cs": "namespace App;\npublic static class Helper { public static void Go() {} }\n",
    "Tests/UserTests.cs": "using App.Models;\nnamespace Tests;\n"
    'public class UserTests { [Fact] public void Renames() { var u = new User(); u.Rename("b"); } }\n',
}


def test_calls_and_bases_follow_namespaces() -> None:
    """Aliases, fields, static classes and inherited members lead to methods; what is in use is imported."""
    project = Project(TREE)
    assert project.imports("App/Program.cs") == [
        "App/BaseRunner.cs",
        "App/Helper.cs",
        "App/Models/Order.cs",
        "App/Models/User.cs",
    ]
    assert project.calls("App/Program.cs", "Program.Main") == {
        "App/Helper.cs:Helper.Go": 0.95,
        "App/Models/Order.cs:Order": 0.95,
        "App/Models/Order.cs:Order.Total": 0.75,
        "App/BaseRunner.cs:BaseRunner.Begin": 0.75,
    }
    assert project.calls("App/Program.cs", "Program.Two") == {
        "App/Models/User.cs:User.Rename": 0.75,
        "App/Program.cs:Program.Three": 0.95,
    }
    assert project.targets("App/Program.cs", "implements", "Program") == {"App/BaseRunner.cs:IRun": 0.95}
    assert project.targets("Tests/UserTests.cs", "tests") == {"App/Models/User.cs": 0.95}


def test_an_extension_method_is_called_on_its_class() -> None:
    """`static T M(this Foo f)` is a method of what is a Foo, and of nothing else; own methods come first."""
    project = Project(
        {
            **TREE,
            "App/Models/VipOrder.cs": "namespace App.Models;\npublic class VipOrder : Order {}\n",
            "App/More.cs": "using App.Models;\nnamespace App.More;\npublic static class More {\n"
            "  public static Order Twice(this Order order, int times) => order;\n"
            "  public static int Total(this Order order) => 2;\n"
            "  public static int Twice(this string text) => 2;\n"
            "  public static void Log(this User user) {}\n  public static void Plain(User user) {}\n}\n",
            "App/Use.cs": "using App.Models;\nusing App.More;\nnamespace App.Use;\nclass Use {\n"
            "  void Run(VipOrder o, User u) { o.Twice(2).Total(); u.Log(); }\n"
            '  void Not(User u, string s, Other x) { u.Twice(); s.Twice(); "".Twice(); u.Plain(); }\n}\n',
        }
    )
    assert project.calls("App/Use.cs", "Use.Run") == {
        "App/More.cs:More.Twice": 0.75,
        "App/Models/Order.cs:Order.Total": 0.75,
        "App/More.cs:More.Log": 0.75,
    }
    assert project.calls("App/Use.cs", "Use.Not") == {"App/More.cs:More.Plain": 0.4}


def test_full_names_need_no_file_in_the_namespaces_around() -> None:
    """`Acme.Core.Repo` and `global::Acme.Core.Repo` lead to the class though no file declares `Acme`."""
    project = Project(
        {
            "Repo.cs": "namespace Acme.Core;\npublic class Repo { public void Load() {} "
            "public static void Make() {} }\n",
            "Fq.cs": "namespace Shop.Web;\nclass Fq : Acme.Core.Repo {\n"
            "  void Go(Acme.Core.Repo p) { new global::Acme.Core.Repo().Load(); p.Load(); }\n"
            "  void Make() { Acme.Core.Repo.Make(); global::Acme.Core.Repo.Make(); }\n"
            "  void Not() { new Core.Repo(); new global::Core.Repo(); Acme.Repo.Other(); }\n}\n"
            "class Other : global::Acme.Core.Repo {}\n",
            "Near.cs": "namespace Acme.Web;\nclass Near { void Go() { new Core.Repo(); } }\n",
            "Named.cs": "using A = Acme;\nusing Acme;\nnamespace Shop;\n"
            "class Named { void Go() { new A.Core.Repo(); } void Not() { new Core.Repo(); } }\n",
        }
    )
    repo = {"Repo.cs:Repo": 0.95}
    assert project.targets("Fq.cs", "inherits", "Fq") == repo
    assert project.targets("Fq.cs", "inherits", "Other") == repo
    assert project.calls("Fq.cs", "Fq.Go") == {**repo, "Repo.cs:Repo.Load": 0.95}
    assert project.calls("Fq.cs", "Fq.Make") == {"Repo.cs:Repo.Make": 0.95}
    assert project.calls("Fq.cs", "Fq.Not") == {}
    assert project.calls("Near.cs", "Near.Go") == project.calls("Named.cs", "Named.Go") == repo
    assert project.calls("Named.cs", "Named.Not") == {}
    assert project.imports("Fq.cs") == ["Repo.cs"]
