"""PHP names lead to files by namespace and by PSR-4."""

from __future__ import annotations

from tests.graph.projects import Project

KERNEL = r"""<?php
namespace App;
use App\Models\User;
use App\Util\{Text, Num as N};
use function App\Util\helper;
class Kernel extends Base implements Runs {
  private User $user;
  public function __construct(private Mailer $mailer) { $this->user = new User("a"); }
  public function run(): void { $this->user->rename("x");
    $this->boot(); self::make(); parent::begin();
    Text::up("a"); N::one(); helper(); $m = new Mailer(); $m->post_all();
    $this->mailer->post_all(); strlen("x"); }
  public function far() { \App\Util\Text::up("b"); $x->unknown(); }
  public static function make(): self { return new self(); }
  private function boot() {}
}
"""
TREE = {
    "composer.json": '{"autoload": {"psr-4": {"App\\\\": "src/"}}}',
    "src/Kernel.php": KERNEL,
    "src/Base.php": "<?php\nnamespace App;\nabstract class Base { public static function begin() {} }\n",
    "src/Runs.php": "<?php\nnamespace App;\ninterface Runs { public function run(): void; }\n",
    "src/Mailer.php": "<?php\nnamespace App;\nclass Mailer { public function post_all() {} }\n",
    "src/Models/User.php": "<?php\nnamespace App\\Models;\nclass User { public function rename($n) {} }\n",
    "src/Util/Text.php": "<?php\nnamespace App\\Util;\nclass Text { public static function up($s) {} }\n",
    "src/Util/Num.php": "<?php\nnamespace App\\Util;\nclass Num { public static function one() {} }\n",
    "src/Util/functions.php": "<?php\nnamespace App\\Util;\nfunction helper() {}\n",
    "bin/old.php": "<?php\nrequire __DIR__ . '/../src/Util/functions.php';\nrequire_once 'lib.php';\n"
    "top_level();\n",
    "bin/lib.php": "<?php\nfunction top_level() {}\n",
}


def test_imports_and_calls_follow_use_and_namespaces() -> None:
    """`use`, the namespace and `require` give files; typed fields, aliases and `parent` lead to methods."""
    project = Project(TREE)
    assert project.imports("src/Kernel.php") == [
        "src/Base.php",
        "src/Mailer.php",
        "src/Models/User.php",
        "src/Runs.php",
        "src/Util/Num.php",
        "src/Util/Text.php",
        "src/Util/functions.php",
    ]
    assert project.imports("bin/old.php") == ["bin/lib.php", "src/Util/functions.php"]
    assert project.calls("src/Kernel.php", "Kernel.run") == {
        "src/Models/User.php:User.rename": 0.75,
        "src/Kernel.php:Kernel.boot": 0.95,
        "src/Kernel.php:Kernel.make": 0.95,
        "src/Base.php:Base.begin": 0.75,
        "src/Util/Text.php:Text.up": 0.95,
        "src/Util/Num.php:Num.one": 0.95,
        "src/Util/functions.php:helper": 0.95,
        "src/Mailer.php:Mailer": 0.95,
        "src/Mailer.php:Mailer.post_all": 0.75,
    }
    assert project.calls("src/Kernel.php", "Kernel.far") == {"src/Util/Text.php:Text.up": 0.95}
    assert project.targets("src/Kernel.php", "implements", "Kernel") == {"src/Runs.php:Runs": 0.95}


def test_full_names_need_no_file_in_the_namespaces_around() -> None:
    r"""`\Acme\Model\Order` is found though no file declares `Acme`; a class that is not there is not."""
    project = Project(
        {
            "s/Pricing.php": "<?php\nnamespace Acme\\Service;\nclass Pricing {}\n",
            "s/Tax.php": "<?php\nnamespace Acme\\Service;\nclass Tax { static function rate() {} }\n",
            "m/Order.php": "<?php\nnamespace Acme\\Model;\nclass Order { function total() {} }\n",
            "w/Mine.php": r"""<?php
namespace Shop\Web;
use Acme\Model as M;
use Acme;
class Mine extends \Acme\Service\Pricing {
  function go(\Acme\Model\Order $given) { $o = new \Acme\Model\Order(); $o->total(); $given->total();
    \Acme\Service\Tax::rate(); }
  function short() { new M\Order(); Acme\Service\Tax::rate(); }
  function not() { new Service\Tax(); new \Model\Order(); new \Acme\Order(); new \Ac\Model\Order(); }
}
""",
        }
    )
    assert project.targets("w/Mine.php", "inherits", "Mine") == {"s/Pricing.php:Pricing": 0.95}
    assert project.calls("w/Mine.php", "Mine.go") == {
        "m/Order.php:Order": 0.95,
        "m/Order.php:Order.total": 0.75,
        "s/Tax.php:Tax.rate": 0.95,
    }
    assert project.calls("w/Mine.php", "Mine.short") == {
        "m/Order.php:Order": 0.95,
        "s/Tax.php:Tax.rate": 0.95,
    }
    assert project.calls("w/Mine.php", "Mine.not") == {}
    assert project.imports("w/Mine.php") == ["m/Order.php", "s/Pricing.php", "s/Tax.php"]
