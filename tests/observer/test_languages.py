"""Rules that are said in other languages than English, and what sounds like them."""

from __future__ import annotations

import pytest

from remora.observer.languages import foreign_rules
from remora.observer.statements import statements

RULES = (
    "Pushe niemals direkt auf main!",
    "Verwende immer pnpm statt npm.",
    "Ab jetzt nutzen wir bun für alle Pakete.",
    "Bitte immer erst `make lint` ausführen.",
    "In diesem Projekt verwenden wir keine Mocks in Integrationstests.",
    "Nutze Money statt float für Preise.",
    "Utilise toujours pnpm, pas npm.",
    "N'utilise jamais npm dans ce dépôt.",
    "Ne pousse jamais directement sur main.",
    "Désormais, on écrit les tests avec vitest.",
    "Il faut toujours lancer make lint avant de commiter.",
    "Utilise Money au lieu de float pour les prix.",
    "Usa siempre pnpm en lugar de npm.",
    "Nunca hagas push directo a main.",
    "A partir de ahora, escribe los tests con vitest.",
    "En este proyecto usamos siempre Money para los precios.",
    "Sempre use pnpm em vez de npm.",
    "Nunca faça push direto na main.",
    "A partir de agora, escreva os testes com vitest.",
    "Usa sempre pnpm invece di npm.",
    "Non usare mai npm in questo progetto.",
    "D'ora in poi scrivi i test con vitest.",
    "Всегда используй pnpm вместо npm.",
    "Никогда не пуши напрямую в main.",
    "Впредь запускай make lint перед коммитом.",
    "Используй Money, а не float для цен.",
    "始终使用 pnpm，不要用 npm。",
    "永远不要直接推送到 main 分支。",
    "以后提交前先运行 make lint。",
    "请用 Money 而不是 float 表示价格。",
    "这个项目必须使用 Python 3.11。",
    "提交前必须先跑 make lint",
    "常にpnpmを使ってください。",
    "npmではなくpnpmを使ってください。",
    "絶対にmainに直接プッシュしないでください。",
    "今後はコミット前に必ず make lint を実行してください。",
    "このプロジェクトでは価格に float ではなく Money を使うこと。",
    "항상 pnpm을 사용해 주세요.",
    "npm 말고 pnpm을 써 줘.",
    "절대 main에 직접 푸시하지 마세요.",
    "앞으로는 커밋하기 전에 make lint를 실행해 주세요.",
)
FACTS = (
    "Merk dir: Die API läuft auf Port 8081.",
    "Retiens que l'API tourne sur le port 8081.",
    "Recuerda que la API corre en el puerto 8081.",
    "记住：API 运行在 8081 端口。",
)
NONE = (
    "Es geht nie beim ersten Mal.",
    "Immer wenn ich das starte, stürzt die App ab.",
    "Warum wird hier immer npm verwendet?",
    "Der Test läuft immer noch nicht.",
    "Mach das immer so wie hier gezeigt.",
    "Füge heute noch nie gesehene Fälle hinzu.",
    "Kannst du immer den Branch anzeigen?",
    "Ça ne marche jamais du premier coup.",
    "Le test échoue toujours.",
    "Pourquoi utilise-t-on toujours npm ?",
    "Corrige ce test au lieu de le supprimer.",
    "Siempre falla el test de login.",
    "Nunca funciona.",
    "¿Por qué usamos siempre npm?",
    "Usa esta función en lugar de la otra.",
    "El servidor nunca responde a tiempo.",
    "O teste sempre falha no CI.",
    "Nunca funcionou direito.",
    "Il test fallisce sempre.",
    "Usa questo file invece di quello.",
    "Тест всегда падает на CI.",
    "Это никогда не работало.",
    "Они никогда не работали вместе.",
    "Почему мы всегда используем npm?",
    "这个测试总是失败。",
    "不要改这个文件。",
    "为什么总是用 npm 呢？",
    "用这个函数而不是那个。",
    "服务器总是在重启",
    "先不要提交。",
    "いつも失敗します。",
    "このファイルは変更しないでください。",
    "なぜ必ずnpmを使うのですか。",
    "今回はnpmではなくpnpmを使ってください。",
    "테스트가 항상 실패합니다.",
    "이 파일은 수정하지 마세요.",
    "왜 항상 npm을 사용하나요?",
    "이번에는 npm 말고 pnpm을 써 줘.",
    "Always use pnpm.",
    "Fix the failing test and never mind the rest.",
    "immer",
    "nunca mais",
    "Remember that the API runs on 8081.",
    "Le serveur ne répond jamais aux requêtes.",
    "sempre use",
    'fix the README.de.md, it says "immer npm verwenden"',
    "Désormais le test passe, merci",
    "À partir de maintenant le serveur renvoie une erreur 500",
    "A partir de ahora el servidor devuelve 500 en el login",
    "en adelante la API falla con 401",
    "d'ora in poi il server risponde con 500",
    "впредь сервер отвечает 500",
    "从现在开始服务器一直报错",
    "以后再说吧，先修复登录的问题",
    "以后可能会支持多语言",
    "In Zukunft wird das Feature wahrscheinlich entfernt",
    "künftig wäre eine Suche schön",
    "Grundsätzlich sieht das gut aus, aber der Test fehlt",
    "à l'avenir on pourrait ajouter un cache",
    "In futuro potremmo aggiungere una cache",
    "В будущем можно будет добавить кэш",
    "今後のロードマップを書いてください",
    "앞으로 계획을 문서로 작성해 주세요",
    "Nimm die zweite Variante und nicht die erste",
    "utilise la branche dev au lieu de main pour la PR",
    "usa la rama dev en lugar de main para la PR",
    "use a branch dev em vez de main no PR",
    "usa il branch dev invece di main per la PR",
    "используй ветку dev вместо main для PR",
    "在PR里使用dev分支而不是main分支",
    "users.csvではなくclients.csvを使ってインポートして",
    "main 말고 dev 브랜치에 PR 올려 주세요",
    "siempre usa la cache y devuelve datos viejos",
    "nunca usa la cache y va lento",
    "usa sempre la cache vecchia e restituisce dati sbagliati",
    "sempre executa duas vezes o hook de commit",
    "nunca puedes entrar en la página de login",
    "всегда есть ошибка при запуске тестов",
    "总是写入失败",
    "接口总是不返回数据",
    "登录页面总是先跳转到首页，修一下",
    "必ず再現するバグの原因を調べてください",
    "常に500エラーが返ってくるのを直してください",
    "항상 500 에러가 나는데 고쳐주세요",
    "반드시 재현되는 버그를 찾아서 수정해 줘",
    "lass den Server nur noch schnell neu starten",
    "Wir verwenden immer noch Python 3.8, kannst du upgraden",
    "no olvides que mañana hay reunión a las 10",
    "n'oublie pas que la démo est à 15h",
    "ricorda che il server è giù",
    'Ändere den Text auf "Bitte immer zuerst anmelden"',
    "登录页的提示改成：请务必使用公司邮箱登录",
    'msgstr "总是使用默认设置"',
    "`总是使用默认设置` 的翻译错了",
    "翻译一下：Never commit to main 永远不要提交到主分支",
    "ab jetzt schlagen die Tests fehl",
    "ab sofort funktionieren die Tests nicht mehr",
    "immer diese Fehler beim Starten",
    "La page charge toujours lentement",
    "El test siempre tarda mucho en terminar",
    "O login sempre demora",
    "il test non passa mai",
    "сервер никогда не отвечает вовремя",
    "テストは必ず最後に失敗して",
    "まず常にテストが落ちる原因を見て",
    "절대 경로로 바꿔 주세요",
    "항상 위에 표시되는 버튼을 추가해 주세요",
    "按钮必须先隐藏再显示，修一下",
    "这个接口必须用POST",
    "実行前に必ず確認ダイアログを表示するようにして",
    "保存時に必ずバリデーションして",
    "저장할 때 반드시 확인창을 띄워 주세요",
    "toujours afficher le bouton en haut",
    "Siempre mostrar el botón arriba",
)


@pytest.mark.parametrize("sentence", RULES)
def test_rules(sentence: str) -> None:
    """What holds from now on, always or never, or one thing in the place of another."""
    assert list(foreign_rules(sentence)) == [("preference", sentence)]


@pytest.mark.parametrize("sentence", FACTS)
def test_what_is_to_be_remembered(sentence: str) -> None:
    """It is kept with the words that asked for it."""
    assert list(foreign_rules(sentence)) == [("gotcha", sentence)]


@pytest.mark.parametrize("sentence", NONE)
def test_what_is_no_rule(sentence: str) -> None:
    """Complaints, questions, what is asked for the moment or of one thing, and English."""
    assert list(foreign_rules(sentence)) == []


def test_they_are_statements_like_others() -> None:
    """They stand between requests and beside English ones; what was pasted is left out."""
    asked = "Bitte fix den Login-Test.\nVerwende immer pnpm statt npm. We always use `Money` for prices."
    texts = ["We always use `Money` for prices.", "Verwende immer pnpm statt npm."]
    assert [one.text for one in statements(asked)] == texts
    assert statements("```\nVerwende immer pnpm statt npm.\n```") == []
