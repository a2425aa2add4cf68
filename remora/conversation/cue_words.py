"""Classify a sentence by cue words in the languages that programmers write.

A cue is a hint, not a proof: it only decides the selection if there is room for a part. Without cues for its
language a conversation still keeps requests, files, commands and the last answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from remora.core.text import words

_MARKS = {".": r"\s", "$": r"\b"}


class Cue:
    """Word beginnings, and character patterns of scripts without spaces.

    A dot in a word is any white space; a word that ends in `$` matches only whole. Signs are patterns.
    """

    def __init__(self, spelt: str, signs: str) -> None:
        self.spelt, self.signs = spelt.split(), signs.split()
        self._words = re.compile(rf"\b{_branches(self.spelt)}")
        self._signs = re.compile("|".join(self.signs))
        plain = [sign for sign in self.signs if sign.isascii()]
        self._plain_signs = re.compile("|".join(plain)) if plain else None

    def search(self, text: str) -> bool:
        """Return whether a text matches one of them."""
        low = text.lower()
        if self._words.search(low):
            return True
        signs = self._plain_signs if low.isascii() else self._signs
        return signs is not None and signs.search(low) is not None


def _branches(spelt: Iterable[str]) -> str:
    """Return a pattern of words that reads every letter once, however many words begin with it."""
    by_letter: dict[str, list[str]] = {}
    for word in spelt:
        by_letter.setdefault(word[:1], []).append(word[1:])
    if "" in by_letter:  # one ends here: it does not matter what follows
        return ""
    parts = [_MARKS.get(letter, re.escape(letter)) + _branches(rest) for letter, rest in by_letter.items()]
    return f"(?:{'|'.join(parts)})" if len(parts) > 1 else parts[0]


DECISION = Cue(
    # English, German, French, Spanish and Portuguese, Italian, Russian
    """decid decision we.chose i.chose chosen$ we'll.use we.will.use we.use$ let's.use let's.go.with
    going.with go.with$ settled.on opted agreed switched.to switch.to$ instead.of replaced.with by.design
    entschied entschieden beschlossen wir.nehmen wir.verwenden stattdessen umgestellt.auf
    décid choisi on.utilise on.garde au.lieu.de
    decidi elegi usaremos vamos.a.usar en.lugar.de escolh vamos.usar em.vez.de
    deciso scelto usiamo invece.di
    решил решен выбра будем.использовать вместо""",
    "决定 決定 选择 選擇 采用 採用 改用 决策 決め ことにした 결정 사용하기로 대신",
)
RULE = Cue(
    """must$ must.not never$ always$ prefer don't$ do.not$ don’t$ should$ shouldn't$ only.use use.only
    required$ make.sure avoid$ no.longer from.now.on remember.to keep.in.mind
    muss$ müssen$ nie$ niemals$ immer$ bevorzug darf.nicht bitte.nicht ab.jetzt lieber$ sollte
    jamais$ toujours$ préfér il.faut doit$ doivent$ évite
    nunca$ siempre$ prefier debe$ deben$ evita sempre$ prefir deve$ devem$
    mai$ preferisc
    никогда$ всегда$ нельзя$ долж предпочита обязательно$ не.надо не.нужно""",
    """必须 必須 不要 总是 總是 始终 从不 從不 永远 偏好 务必 務必 禁止 应该 應該 必ず 常に 決して べき ないで
    반드시 항상 절대 하지.?마""",
)
TROUBLE = Cue(
    """error fail exception traceback crash broken$ bug$ bugs$ timeout timed.out regression doesn't.work
    does.not.work panic$ segfault denied$
    fehler fehlgeschlagen abgestürzt absturz kaputt
    erreur échou échec plante
    fallo falló falla falha erro$ erros$
    errore fallit
    ошибк упал сбой не.работает исключени""",
    r"""error\b exception\b 错误 錯誤 报错 報錯 失败 失敗 崩溃 崩潰 异常 異常 エラー 例外 バグ 落ち
    오류 에러 실패 버그""",
)
FIX = Cue(
    """fixed fixes$ fix.was the.fix resolved solved$ patched workaround root.cause the.cause works.now
    turned.out
    behoben gelöst ursache
    corrigé résolu
    arreglad resuelt solucion corrigid resolvid
    risolt corrett
    исправ решен починил причина""",
    "修复 修復 解决 解決 修好 原因 修正 直し 直っ 수정 해결",
)
OPEN = Cue(
    """todo$ to.do$ next.step next.up next,$ still.need still.have still.missing remaining remains$ left.to
    pending blocked blocker not.yet later$ follow-up open.question unclear
    noch.offen als.nächstes fehlt.noch später$
    ensuite$ reste.à prochaine.étape
    pendiente siguiente.paso falta próximo.passo
    prossimo da.fare
    осталось следующ ещё.не не.готово""",
    "待办 待辦 下一步 还没 還沒 尚未 剩下 残り 次は 未対応 まだ 남은 다음.?단계 아직",
)
_READ = (DECISION, RULE, TROUBLE, FIX)
ANY = Cue(" ".join(w for cue in _READ for w in cue.spelt), " ".join(s for cue in _READ for s in cue.signs))
_QUESTION = re.compile(r"[?？؟][^\w?？؟]*$")
_ASSENT = frozenset(
    """ok okay k yes yep yeah no nope sure thanks thank you thx great perfect good nice cool done hi hello hey
    continue go on ahead proceed next please lgtm right exactly
    ja nein danke gut weiter bitte hallo oui non merci bonjour
    sí si gracias hola sim não obrigado obrigada olá grazie ciao
    да нет спасибо привет дальше
    好 好的 是 是的 对 不 谢谢 你好 继续 はい いいえ ありがとう お願いします こんにちは 続けて
    네 아니요 감사합니다 계속 안녕하세요""".split()
)


def is_question(sentence: str) -> bool:
    """Return whether a sentence ends in a question mark of any script."""
    return _QUESTION.search(sentence) is not None


def is_assent(text: str) -> bool:
    """Return whether a text is only a greeting, an agreement, thanks or a request to continue.

    >>> is_assent("Yes, please go ahead!"), is_assent("好的，谢谢"), is_assent("no tabs")
    (True, True, False)
    """
    return len(text) <= 60 and all(word in _ASSENT for word in words(text))
