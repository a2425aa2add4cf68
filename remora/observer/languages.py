"""What holds for good, said in other languages than English: plain rules, by few words of each language.

A sentence is a rule if it says of itself that it holds from now on, always or never, names one thing in the
place of another, or asks for something to be remembered. "Always" and "never" are also how one complains ("es
geht nie", "siempre falla"), so where a language has no other sign of a request they need a verb that asks.
What points at something ("this one") or at today is no rule, nor is a question. The words stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from remora.core.text import collapse, words

MIN_WORDS, MIN_SIGNS = 3, 6  # of a rule; signs where no spaces part the words
MAX_CHARS = 300

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n+")
_QUESTION = re.compile(r"[?？¿]|(?:吗|嗎|呢|ですか|ますか|나요|까)[。.!！]*\Z")
_SIGNS = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_POINT = re.compile(r"\A\s*(?:[-*•]|\d+[.)])\s+")


class Language(NamedTuple):
    """The words of one language, as regular expressions.

    Attributes:
        here: "in this project", which may lead in.
        remember: how one asks to remember what follows.
        rule: what a rule is like, from its first word to its last; VERB stands for `verbs`.
        passing: what only speaks of what is at hand.
        verbs: forms of verbs that ask.
    """

    here: str
    remember: str
    rule: str
    passing: str
    verbs: str = ""


LANGUAGES = (
    Language(  # German
        r"(?:in|bei) diesem (?:projekt|repo\w*)",
        r"merke?(?: dir)?(?: bitte)?(?:,? dass|:)|denk(?:e)? daran,? dass|nicht vergessen:",
        r"(?:ab (?:jetzt|sofort|heute)|von (?:jetzt|nun) an|in zukunft|künftig|zukünftig|grundsätzlich),? .+"
        r"|(?:immer|niemals|nie) (?!wenn\b|noch\b|mehr\b|wieder\b)[^,]*\b\w{2,}en"
        r"(?:,? (?:sondern|bevor|wenn) .+)?"
        r"|(?:VERB) (?:[^,]+ )??(?:immer|niemals|nie|nur noch)\b.+"
        r"|(?:wir )?(?:verwenden|nutzen|benutzen|committen|pushen) (?:wir )?"
        r"(?:immer|nie|niemals|nur|kein\w*)\b.+"
        r"|(?:verwende|nutze|benutze|nimm) .+ (?:statt|anstatt|anstelle von|(?:und )?nicht) .+",
        r"\b(?:dies\w*|hier|heute|gerade|morgen|vorerst|es|ihn|daran)\b",
        r"verwende|nutze|benutze|nimm|schreibe?|führe?|starte|committe|pushe|ändere|lösche|füge|installiere"
        r"|lasse?|mache?|halte|achte|teste|prüfe|formatiere|antworte|rufe?|lege?|frage?",
    ),
    Language(  # French
        r"dans ce (?:projet|dépôt|repo)",
        r"(?:retiens|souviens[- ]toi|rappelle[- ]toi|n'oublie pas)(?: bien)?(?: que| ?:)"
        r"|note(?: bien)? que|à retenir ?:",
        r"(?:désormais|dorénavant|à partir de maintenant|à l'avenir),? .+"
        r"|(?:VERB) toujours .+|(?:n'|ne )(?!marche|fonctionne|passe|va\b)\w+ (?:jamais|plus jamais) .+"
        r"|ne jamais \w+ .+|toujours \w+(?:er|ir|re) .+|il (?:ne )?faut (?:toujours|jamais) .+"
        r"|(?:on|nous) (?:n')?(?:utilise|utilisons) (?:toujours|jamais|uniquement|que) .+"
        r"|(?:utilise[rz]?|prends) .+ (?:au lieu d[e']|plutôt qu[e']|à la place d[e']|et pas|et non) ?.+",
        r"\b(?:ceci|cela|cette?|ces|ça|ici|aujourd'hui|pour l'instant)\b|\bce \w+",
        r"utilise[rz]?|écri[stvez]+|lance[rz]?|exécute[rz]?|fai(?:s|tes|re)|teste[rz]?|met(?:s|tez|tre)"
        r"|répond(?:s|ez|re)|ajoute[rz]?|vérifie[rz]?|garde[rz]?|commence[rz]?|passe[rz]?",
    ),
    Language(  # Spanish
        r"en este (?:proyecto|repo\w*)",
        r"(?:recuerda|ten en cuenta|no olvides)(?: que|:)",
        r"(?:a partir de ahora|de ahora en adelante|en adelante),? .+"
        r"|siempre (?:VERB) .+|(?:VERB) siempre .+|nunca (?:\w+(?:ar|er|ir)|\w+[ae]s|\w+[ae]mos) .+"
        r"|no \w+[ae]s nunca .+|(?:siempre|nunca) hay que .+|hay que \w+ siempre .+"
        r"|(?:usamos|utilizamos) (?:siempre|solo|sólo) .+|nunca (?:usamos|utilizamos) .+"
        r"|(?:usa|utiliza|usad) .+ (?:en (?:lugar|vez) de|y no) .+",
        r"\b(?:est[eao]s?|es[ao]s?|esto|aquí|hoy|por ahora|ahora mismo)\b",
        r"usa[rd]?|utiliza[rd]?|ejecuta[rd]?|escrib[ei]r?|haz|hacer|correr?|pon|poner|añad[ei]r?"
        r"|responde[r]?|prueba|probar|formatea[r]?|revisa[r]?|mant[eé]n|mantener|comprueba|comprobar",
    ),
    Language(  # Portuguese
        r"neste (?:projeto|repo\w*)",
        r"(?:lembre(?:-se)?|lembra(?:-te)?|não (?:se )?esqueça)(?: de)?(?: que|:)",
        r"(?:a partir de agora|de agora em diante|daqui em diante|daqui para a frente),? .+"
        r"|sempre (?:VERB) .+|(?:VERB) sempre .+"
        r"|nunca (?:\w+(?:ar|er|ir)|VERB|faça|faças|commite|altere|apague|edite|toque|suba) .+"
        r"|(?:usamos|utilizamos) (?:sempre|só|somente|apenas) .+|nunca (?:usamos|utilizamos) .+"
        r"|(?:use|usa|utilize|utiliza) .+ (?:em (?:vez|lugar) d\w+|ao invés d\w+|e não) .+",
        r"\b(?:est[ea]s?|ess[ea]s?|isto|isso|aqui|hoje|por enquanto|agora mesmo)\b",
        r"us[ea]r?|utiliz[ea]r?|rod[ea]r?|execut[ea]r?|escrev[ae]r?|faça|faz(?:er)?|respond[ae]r?|test[ea]r?"
        r"|adicion[ea]r?|mantenha|verifi(?:que|ca|car)|format[ea]r?",
    ),
    Language(  # Italian
        r"in questo (?:progetto|repo\w*)",
        r"(?:ricorda(?:ti)?|tieni presente|non dimenticare)(?: che|:)",
        r"(?:d'ora in poi|da ora in poi|d'ora in avanti|in futuro),? .+"
        r"|(?:VERB) sempre .+|non \w+(?:are|ere|ire) mai .+"
        r"|(?:usiamo|utilizziamo) (?:sempre|solo) .+|non (?:usiamo|utilizziamo) mai .+"
        r"|(?:usa|utilizza|usare) .+ (?:invece d\w+|al posto d\w+|anziché|e non) .+",
        r"\b(?:quest[oaie]|ciò|qui|adesso|oggi|per ora)\b",
        r"usa(?:re)?|utilizza(?:re)?|esegu[ia](?:re)?|scriv[ia](?:ere)?|fai|lancia(?:re)?|rispondi|testa(?:re)?"
        r"|aggiungi|mantieni|verifica(?:re)?|controlla(?:re)?",
    ),
    Language(  # Russian
        r"в этом (?:проекте|репозитории)",
        r"(?:запомни(?:те)?|учти(?:те)?|имей в виду)(?:,? что|:)",
        r"(?:впредь|отныне|с этого момента|в будущем|с сегодняшнего дня),? .+"
        r"|всегда (?:\w+(?:й|йте|ть|шите?|дите?)|\w*запускай\w*) .+"
        r"|никогда не \w+(?:й|йте|(?<!л)и|ите|ть|ь|ьте) .+"
        r"|мы (?:всегда|никогда не|только) использу\w+ .+"
        r"|(?:используй(?:те)?|используем) .+(?: вместо |, а не ).+",
        r"\b(?:эт(?:от|а|о|и|у|их|ой)|здесь|тут|сейчас|сегодня|пока)\b",
    ),
    Language(  # Chinese
        r"(?:在)?(?:这个|這個|本)(?:项目|專案|仓库|代码库)(?:里|中|内)?",
        r"(?:记住|記住|牢记|记得|記得)[:：,，]",
        r"(?:以后|以後|今后|今後|从现在开始|從現在開始|从今以后|往后).{4,}"
        r"|.{0,30}?(?:务必|務必|始终|始終|总是|總是|一律|必须|必須)"
        r"(?:使用|用|要|先|不|运行|執行|执行|通过|写|加|跑|遵循|保持).{2,}"
        r"|.{0,30}?(?:永远|永遠|绝对|絕對|千万|千萬|任何时候都|任何時候都|一律)(?:不要|不能|不得|别|別|不许|不可).{2,}"
        r"|.{0,30}?(?:禁止|严禁|嚴禁)(?:使用|用|直接|提交|修改|在).{2,}"
        r"|我们(?:总是|一律|只|不|从不)(?:使用|用).{2,}"
        r"|(?:使用|用).{1,40}?[,，]?(?:而不是|而非|不要用|不要使用|别用|代替).{1,40}",
        r"[这這那](?:个|個|里|裡|次|边|邊|些)|它|暂时|暫時|目前|今天|刚才|上面|下面|当前|此处",
    ),
    Language(  # Japanese
        r"この(?:プロジェクト|リポジトリ)(?:では|で|内では)?",
        r"(?:次のことを)?覚えておいて(?:ください|ほしい)?[:：、,]",
        r"(?:(?:今後は?|これからは|以後は?|以降は)、?.{4,}|.{0,40}?(?:常に|必ず|絶対に|決して|いつも).{2,}"
        r"|.{1,40}?(?:ではなく|じゃなく|の代わりに).{2,})"
        r"(?:ください|下さい|くれ|こと|ないで|して|使って|使う|べき|なさい|禁止|ほしい)",
        r"これ(?!からは)|それ|この|その|ここ|今回|とりあえず|今日|さっき|上記|下記",
    ),
    Language(  # Korean
        r"이 (?:프로젝트|저장소|레포)(?:에서는?|는)?",
        r"(?:다음을 )?기억해(?: ?줘| ?주세요)?[:,]",
        r"(?:(?:앞으로는?|이제부터는?|항상|반드시|절대로?|언제나) .{4,}|.{1,40}? (?:말고|대신에?) .{2,})"
        r"(?:세요|해 ?줘|하지 ?마(?:세요|라)?|말 ?것|할 ?것|해라|써 ?줘|써|사용해|사용하자|하자|합니다|금지)",
        r"이거|그거|이번|지금은|여기|오늘|방금|일단|이것|그것",
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


def _ready(of: Language) -> _Ready:
    rule = of.rule.replace("VERB", of.verbs)
    return _Ready(
        re.compile(rf"{of.here}(?:[,，、]\s*|\s+|\b|(?<=\w))", re.IGNORECASE),
        re.compile(rf"{_PLEASE}(?:{of.remember})\s*", re.IGNORECASE),
        re.compile(rf"{_PLEASE}(?:{rule})", re.IGNORECASE),
        re.compile(of.passing, re.IGNORECASE),
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
        if not sentence or len(sentence) > MAX_CHARS or _QUESTION.search(sentence):
            continue
        kind = next(filter(None, (_kind(sentence, language) for language in _READY)), "")
        if kind:
            yield kind, sentence


def _kind(sentence: str, language: _Ready) -> str:
    """Return which type of memory a sentence makes; "" for one that says nothing for good."""
    bare = language.here.sub("", sentence).strip(" .!。！;；,，、")
    kept = language.remember.match(bare)
    if kept:
        bare = bare[kept.end() :]
    rule = language.rule.fullmatch(bare)
    long = len(words(bare)) >= MIN_WORDS or len(_SIGNS.findall(bare)) >= MIN_SIGNS
    if not (kept or rule) or not long or language.passing.search(bare):
        return ""
    return "preference" if rule else "gotcha"
