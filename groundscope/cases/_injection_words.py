"""Words of orders to a model, in the languages of `groundscope.cases.injections`; each a small pattern over lower case."""

NOUNS = r"""
instructions? prompts? guidelines directions commands orders rules tasks? criteria text above context document messages?
anweisung\w{0,4} vorgaben instruktionen regeln
consignes règles
instrucciones indicaciones reglas órdenes
istruzioni regole indicazioni
instruções regras
instructies opdrachten regels aanwijzingen
instrukcj\w{0,4} polece\w{0,4}
instruktion\w{0,4} anvisningar
инструкци\w{0,4} указани\w{0,4} правила? інструкці\w{0,4} вказівк\w{0,4}
التعليمات الأوامر ההוראות הנחיות
"""
LEAVE = r"""
ignore[zr]? disregard forget override bypass overrule stop\sfollowing (?:not|don't|never)\s(?:follow|obey)
ignoriere\w? missachte\w? vergiss
oublie[zr]? pas\scompte
ignora(?:te)? olvid[ae] caso\somiso
dimentica(?:te)?
esqueça desconsidere
negeer vergeet
z?ignoruj zapomnij
ignorera glöm
(?:про)?игнорируй\w{0,2} забудь\w{0,2} ігноруй\w{0,2}
تجاهل\w? انس התעלם שכח
"""
LEAVE_STEMS = """
ignor disregard forget overr bypass follow obey missacht vergiss oublie compte olvid omiso dimentic esqueça desconsid
negeer vergeet zapomnij glöm игнор забудь ігнор تجاهل انس התעלם שכח 忽 无视 無視 忘 不要理会 무시 잊 talimat komut निर्देश
"""
WHICH = r"""
all any every\w{0,5} previous prior above earlier preceding foregoing before your these system other
alle[nrs]? obig\w{0,2} vorherig\w{0,2} bisherig\w{0,2} deine
tou[ts]e?s? précédent\w{0,2} ci-dessus antérieures
tod[ao]s anterior\w{0,2} previ[ae]s?
tutte precedent\w
eerdere vorige
wszystkie poprzedni\w{0,2}
tidigare alla
все всі предыдущ\w{1,2} попередн\w{1,2}
السابقة הקודמות
"""
SAY = r"""
\b(?:respond|reply|answer|output|return|print|write|say|give|set|mark|rate|label|classify|judge|score|treat|report|use|put|state)
conclude choose verdict
antworte setze
répond mettez
marca rispondi scrivi
antwoord
odpowiedz
ответь отвечай поставь відповідай
回答 回复 回覆 输出 輸出 答え 出力 답 출력
yanıtla cevap أجب ענה उत्तर जवाब
"""
