"""What holds for good, said in other languages than English: plain rules, by few words of each language.

A sentence is a rule if it says of itself that it holds from now on, always or never, names one tool in the
place of another, or asks for something to be remembered. All of these are also how one complains ("es geht
nie", "siempre usa la cache"), tells what happens ("désormais le test passe") or asks for something of the
moment. So a verb must ask, in a form that does not also tell, next to the word that makes it hold. Where no
form tells them apart, in Chinese, Japanese and Korean, the sentence must name something of this work, and may
not speak of a fault or of a thing at hand. What is quoted is not said. A rule that is missed costs less than
one that nobody made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from remora.core.text import collapse, words
from remora.observer.phrases import REPORTED

MIN_WORDS, MIN_SIGNS = 3, 6  # of a rule; signs where no spaces part the words
MAX_CHARS = 300

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n+")
_QUESTION = re.compile(r"[?？¿]|(?:吗|嗎|呢|ですか|ますか|나요|까)[。.!！]*\Z")
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」|『[^』]*』|`[^`]*`")
_SIGNS = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_POINT = re.compile(r"\A\s*(?:[-*•]|\d+[.)])\s+")
# A name, without an article.
_THING = r"(?!(?:d[eiao]\w?|l[aeo]s?|les|il|un[ae]?|ein\w*|el|os?|as?)\b)[\w@./+-]*\w"
_LATER = (  # a time of the clock, a fault
    r"\b\d{1,2}(?:[:h]\d\d|h| ?uhr)\b|\b[45]0\d\b|\b(?:error|bug|crash\w*)\b"
)


class Language(NamedTuple):
    """The words of one language, as regular expressions.

    Attributes:
        here: "in this project", which may lead in.
        remember: how one asks to remember what follows.
        rule: what a rule is like, from its first word to its last; VERB stands for `verbs`, THING for a name.
        passing: what only speaks of what is at hand, of a fault or of a day.
        verbs: forms of verbs that ask and do not tell.
        infinitives: of verbs of this work; INFINITIVE stands for them.
        about: what a rule must name besides, where no form of a verb tells it from another request.
    """

    here: str
    remember: str
    rule: str
    passing: str
    verbs: str = ""
    infinitives: str = ""
    about: str = ""


LANGUAGES = (
    Language(  # German
        r"(?:in|bei) diesem (?:projekt|repo\w*)",
        r"merke?(?: dir)?(?: bitte)?(?:,? dass|:)|denk(?:e)? daran,? dass|nicht vergessen:",
        r"(?:ab (?:jetzt|sofort|heute)|von (?:jetzt|nun) an|in zukunft|künftig|zukünftig),? "
        r"(?:(?:VERB)\b.+|(?!(?:könn|soll|würd|müss|woll)\w+)\w{3,}en wir\b.+|[^,]*\b(?:INFINITIVE))"
        r"|(?:immer|niemals|nie) (?!wenn\b|noch\b|mehr\b|wieder\b)[^,]*\b(?:INFINITIVE)"
        r"(?:,? (?:sondern|bevor) .+)?"
        r"|(?:VERB) (?:[^,]+ )??(?:immer(?! noch)|niemals|nie)\b.+"
        r"|(?:wir )?(?:verwenden|nutzen|benutzen|committen|pushen) (?:wir )?"
        r"(?:immer(?! noch)|nie|niemals|nur(?! noch)|kein\w*)\b.+"
        r"|(?:verwende|nutze|benutze|nimm) THING,? (?:statt|anstatt|anstelle von|(?:und )?nicht) THING"
        r"(?: (?:für|in|bei) .{2,40})?",
        r"\b(?:dies\w*|hier|heute|gerade|morgen|vorerst|erstmal|schnell|es|ihn|daran|fehler\w*|kaputt|wie)\b",
        r"verwende|nutze|benutze|schreibe?|führe?|starte|committe|pushe|ändere|lösche|füge|installiere"
        r"|mache|halte|achte|teste|prüfe|formatiere|antworte|rufe|lege|frage",
        r"verwenden|nutzen|benutzen|schreiben|ausführen|lassen|starten|committen|pushen|ändern|löschen"
        r"|installieren"
        r"|testen|prüfen|formatieren|antworten|fragen|mocken|anfassen|bearbeiten|mergen",
    ),
    Language(  # French
        r"dans ce (?:projet|dépôt|repo)",
        r"(?:retiens|souviens[- ]toi|rappelle[- ]toi|n'oublie pas)(?: bien)?(?: que| ?:)|à retenir ?:",
        r"(?:désormais|dorénavant|à partir de maintenant|à l'avenir),? (?:(?:VERB)\b.+|(?:n'|ne )(?:VERB) .+"
        r"|(?:on|nous) (?:n'|ne )?(?:utilis(?:e|ons)|écri(?:t|vons)|lan(?:ce|çons)|test(?:e|ons)|pouss(?:e"
        r"|ons)"
        r"|commit(?:e|ons)|met|mettons) .+)"
        r"|(?:VERB) toujours .+|(?:n'|ne )(?:VERB) (?:jamais|plus jamais) .+|ne jamais (?:VERB) .+"
        r"|toujours (?:VERB) .+|il (?:ne )?faut (?:toujours|jamais) .+"
        r"|(?:on|nous) (?:n')?(?:utilise|utilisons) (?:toujours|jamais|uniquement|que) .+"
        r"|(?:utilise[rz]?) THING,? (?:au lieu d[e'] ?|plutôt que |à la place de |(?:et )?pas |et non )THING"
        r"(?: (?:pour|dans) .{2,40})?",
        r"\b(?:ceci|cela|cette?|ces|ça|ici|aujourd'hui|demain|pour l'instant|erreur|échoue|plante)\b|\bce \w+"
        r"|\bbranche\b",
        r"utilise[rz]?|écri(?:s|re|vez)|lance[rz]?|exécute[rz]?|fai(?:s|tes|re)|teste[rz]?|met(?:s|tez|tre)"
        r"|répond(?:s|ez|re)|ajoute[rz]?|vérifie[rz]?|garde[rz]?|commence[rz]?|passe[rz]?|pousse[rz]?"
        r"|commite[rz]?|modifie[rz]?|touche[rz]?|supprime[rz]?|crée[rz]?",
    ),
    Language(  # Spanish
        r"en este (?:proyecto|repo\w*)",
        r"(?:recuerda|ten en cuenta|no olvides)(?: que|:)",
        r"(?:a partir de ahora|de ahora en adelante|en adelante),? (?:VERB|hay que|usamos|escribimos) .+"
        r"|siempre (?:INFINITIVE) .+|(?:VERB) siempre THING(?: (?:en|para|con|antes|y no) .+)?"
        r"|nunca (?:INFINITIVE|SUBJ) .+|no (?:SUBJ) nunca .+|(?:siempre|nunca) hay que .+"
        r"|hay que \w+ siempre .+|(?:usamos|utilizamos) (?:siempre|solo|sólo) .+|nunca (?:usamos"
        r"|utilizamos) .+"
        r"|(?:usa|utiliza|usad) THING (?:en (?:lugar|vez) de|y no) THING(?: (?:para|en) .{2,40})?".replace(
            "SUBJ",
            "uses|hagas|subas|empujes|toques|borres|edites|modifiques|cambies|pongas|añadas|ejecutes|escribas"
            "|crees|instales|commitees|pushees",
        ),
        r"\b(?:est[eao]s?|es[ao]s?|esto|aquí|hoy|mañana|por ahora|ahora mismo|falla|devuelve|lento|mal"
        r"|rama)\b"
        r"|\ba las \d",
        r"usa[rd]?|utiliza[rd]?|ejecuta[rd]?|escribe|escribir|haz|hacer|pon|poner|añade|añadir|responde[r]?"
        r"|formatea[r]?|mantén|mantener|comprueba|comprobar",
        "usar|utilizar|ejecutar|escribir|hacer|subir|tocar|borrar|editar|modificar|instalar|responder|formatear",
    ),
    Language(  # Portuguese
        r"neste (?:projeto|repo\w*)",
        r"(?:lembre(?:-se)?|não (?:se )?esqueça)(?: de)?(?: que|:)",
        r"(?:a partir de agora|de agora em diante|daqui em diante|daqui para a frente),? (?:VERB|usamos"
        r"|vamos usar) .+"
        r"|sempre (?:VERB) .+|(?:VERB) sempre .+|nunca (?:INFINITIVE|VERB|commite|altere|apague|edite"
        r"|toque) .+"
        r"|(?:usamos|utilizamos) (?:sempre|só|somente|apenas) .+|nunca (?:usamos|utilizamos) .+"
        r"|(?:use|utilize) THING (?:em (?:vez|lugar) de|ao invés de|e não) THING(?: (?:para|em) .{2,40})?",
        r"\b(?:est[ea]s?|ess[ea]s?|isto|isso|aqui|hoje|amanhã|por enquanto|agora mesmo|falha|erro|branch)\b"
        r"|\bàs \d",
        "use|utilize|rode|execute|escreva|faça|faças|responda|teste|adicione|mantenha|verifique|formate",
        "usar|utilizar|rodar|executar|escrever|fazer|subir|tocar|apagar|editar|alterar|instalar|responder|commitar",
    ),
    Language(  # Italian
        r"in questo (?:progetto|repo\w*)",
        r"(?:ricorda(?:ti)?|tieni presente|non dimenticare)(?: che|:)",
        r"(?:d'ora in poi|da ora in poi|d'ora in avanti),? (?:VERB|usiamo|scriviamo) .+"
        r"|(?:VERB) sempre THING(?: (?:invece di|al posto di|per|in|con|prima) .+)?|non (?:INFINITIVE) mai .+"
        r"|(?:usiamo|utilizziamo) (?:sempre|solo) .+|non (?:usiamo|utilizziamo) mai .+"
        r"|(?:usa|utilizza|usare) THING (?:invece di|al posto di|anziché|e non) THING(?: (?:per"
        r"|in) .{2,40})?",
        r"\b(?:quest[oaie]|ciò|qui|adesso|oggi|domani|per ora|errore|fallisce|restituisce|giù|ramo|branch)\b"
        r"|\balle \d",
        r"usa(?:re)?|utilizza(?:re)?|esegui(?:re)?|scriv(?:i|ere)|fai|rispondi|aggiungi|mantieni",
        "usare|utilizzare|eseguire|scrivere|fare|toccare|cancellare|modificare|installare|committare|pushare",
    ),
    Language(  # Russian
        r"в этом (?:проекте|репозитории)",
        r"(?:запомни(?:те)?|учти(?:те)?|имей в виду)(?:,? что|:)",
        r"(?:впредь|отныне|с этого момента|с сегодняшнего дня),? (?:всегда )?(?:\w+(?:й|йте)|пиши(?:те)?) .+"
        r"|всегда (?:\w+(?:й|йте)|пиши(?:те)?) .+|никогда не \w+(?:й|йте|(?<!л)и|ите|ь|ьте) .+"
        r"|мы (?:всегда|никогда не|только) используем .+"
        r"|(?:используй(?:те)?|используем) THING(?: вместо |, а не )THING(?: (?:для|в) .{2,40})?",
        r"\b(?:эт(?:от|а|о|и|у|их|ой)|здесь|тут|сейчас|сегодня|завтра|пока|ошибк\w*|падает|ветк\w*)\b",
    ),
    Language(  # Chinese
        r"(?:在)?(?:这个|這個|本)(?:项目|專案|仓库|代码库)(?:里|中|内)?",
        r"(?:记住|記住|牢记|记得|記得)[:：,，]",
        r"(?:以后|以後|今后|今後|从现在开始|從現在開始|从今以后|往后)[^:：]{0,12}?"
        r"(?:请|都要|都用|必须|一律|不要|别|先|统一|只用|只能|禁止|使用).{2,}"
        r"|[^:：]{0,30}?(?:务必|務必|始终|始終|一律|必须|必須|请总是)"
        r"(?:使用|用|要|先|运行|執行|执行|通过|遵循|保持|在提交).{2,}"
        r"|[^:：]{0,30}?(?:永远|永遠|绝对|絕對|千万|千萬|任何时候都|任何時候都|一律)"
        r"(?:不要|不能|不得|别|別|不许|不可).{2,}"
        r"|[^:：]{0,30}?(?:禁止|严禁|嚴禁)(?:使用|用|直接|提交|修改).{2,}|我们(?:一律|只|从不|不)(?:使用"
        r"|用).{2,}"
        r"|(?:使用|用) ?THING ?[,，]?(?:而不是|而非|不要用|不要使用|别用|代替) ?THING.{0,12}",
        r"[这這那](?:个|個|里|裡|次|边|邊|些)|它|暂时|暫時|目前|今天|明天|刚才|上面|下面|当前|此处|错|失败"
        r"|异常|崩|修|帮我"
        r"|看看|查一?下|可能|翻译|分支上|\d点",
        about=r"[A-Za-z]{2}|提交|测试|測試|分支|代码|文档|注释|中文|英文|推送|依赖|合并",
    ),
    Language(  # Japanese
        r"この(?:プロジェクト|リポジトリ)(?:では|で|内では)?",
        r"(?:次のことを)?覚えておいて(?:ください|ほしい)?[:：、,]",
        r"(?:(?:今後は|これからは|以後は|以降は)、?[^:：]{4,}|[^:：]{0,40}?(?:常に|必ず|絶対に"
        r"|決して)[^:：]{2,})"
        r"(?:ください|下さい|くれ|こと|ないで|して|使って|使う|べき|なさい|禁止|ほしい)"
        r"|[^:：]{0,15}?THING ?(?:ではなく|じゃなく|の代わりに)、? ?THING ?を使(?:ってください|って|う"
        r"|うこと)",
        r"これ(?!からは)|それ|この|その|ここ|今回|とりあえず|今日|明日|さっき|上記|下記|バグ|エラー|失敗"
        r"|直して|修正して"
        r"|調べて|落ち|動か|文言|翻訳|\d時",
        about=r"[A-Za-z]{2}|テスト|コミット|プッシュ|ブランチ|ドキュメント|コメント|コード|レビュー|英語|日本語|依存",
    ),
    Language(  # Korean
        r"이 (?:프로젝트|저장소|레포)(?:에서는?|는)?",
        r"(?:다음을 )?기억해(?: ?줘| ?주세요)?[:,]",
        r"(?:앞으로는|이제부터는?|항상|반드시|언제나) [^:]{4,}"
        r"(?:세요|해 ?줘|하지 ?마(?:세요|라)?|말 ?것|할 ?것|해라|써 ?줘|써|사용해|사용하자|하자|합니다|금지)"
        r"|절대로? [^:]{4,}(?:지 ?마(?:세요|라)?|말 ?것|금지)"
        r"|THING ?(?:말고|대신에?) THING ?(?:을|를)? ?(?:써|써 ?줘|사용해|사용해 ?주세요|사용하세요)",
        r"이거|그거|이번|지금은|여기|오늘|내일|방금|일단|이것|그것|에러|버그|오류|고쳐|수정해|재현|찾아"
        r"|브랜치|\d시에",
        about="[A-Za-z]{2}|커밋|푸시|테스트|문서|주석|코드|리뷰|영어|한국어|의존",
    ),
)
_PLEASE = (
    r"(?:(?:bitte|s'il (?:te|vous) pla[iî]t|merci de|por favor|per favore|пожалуйста)[,:]? |请|請|どうか)?"
)


class _Ready(NamedTuple):
    here: re.Pattern[str]
    remember: re.Pattern[str]
    rule: re.Pattern[str]
    passing: re.Pattern[str]
    about: re.Pattern[str]


def _ready(of: Language) -> _Ready:
    rule = of.rule.replace("VERB", of.verbs).replace("INFINITIVE", of.infinitives).replace("THING", _THING)
    return _Ready(
        re.compile(rf"{of.here}(?:[,，、]\s*|\s+|\b|(?<=\w))", re.IGNORECASE),
        re.compile(rf"{_PLEASE}(?:{of.remember})\s*", re.IGNORECASE),
        re.compile(rf"{_PLEASE}(?:{rule})", re.IGNORECASE),
        re.compile(f"{of.passing}|{_LATER}", re.IGNORECASE),
        re.compile(of.about),
    )


_READY = tuple(map(_ready, LANGUAGES))


def foreign_rules(prompt: str) -> Iterator[tuple[str, str]]:
    """Yield what a prompt says for good in another language than English: type of memory, sentence.

    >>> list(foreign_rules("Bitte fix den Test. Pushe niemals direkt auf main!"))
    [('preference', 'Pushe niemals direkt auf main!')]
    >>> list(foreign_rules("请修复这个测试。记住：API 运行在 8081 端口。"))
    [('gotcha', '记住：API 运行在 8081 端口。')]
    >>> list(foreign_rules("siempre falla"))
    []
    """
    for part in _SENTENCE.split(prompt):
        sentence = collapse(_POINT.sub("", part))
        if (
            not sentence
            or len(sentence) > MAX_CHARS
            or _QUESTION.search(sentence)
            or REPORTED.search(sentence)
        ):
            continue
        kind = next(filter(None, (_kind(sentence, language) for language in _READY)), "")
        if kind:
            yield kind, sentence


def _kind(sentence: str, language: _Ready) -> str:
    """Return which type of memory a sentence makes; "" for one that says nothing for good."""
    bare = language.here.sub("", _QUOTED.sub("x", sentence)).strip(" .!。！;；,，、")
    kept = language.remember.match(bare)
    if kept:
        bare = bare[kept.end() :]
    rule = language.rule.fullmatch(bare)
    long = len(words(bare)) >= MIN_WORDS or len(_SIGNS.findall(bare)) >= MIN_SIGNS
    if kept and not rule:
        return "gotcha" if long and not language.passing.search(bare) else ""
    if not rule or not long or language.passing.search(bare) or not language.about.search(sentence):
        return ""
    return "preference"
