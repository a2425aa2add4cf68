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


def test_types_in_use_are_imported() -> None:
    """Own, surrounding and imported namespaces are searched; what is not used gives no edge."""
    assert Project(TREE).imports("App/Program.cs") == [
        "App/BaseRunner.cs",
        "App/Helper.cs",
        "App/Models/Order.cs",
        "App/Models/User.cs",
    ]


def test_calls_and_bases_follow_namespaces() -> None:
    """Aliases, fields, static classes and inherited members lead to methods."""
    project = Project(TREE)
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
