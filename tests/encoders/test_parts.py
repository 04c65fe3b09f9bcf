"""Requests come apart into what they ask for, and nothing else does."""

# ruff: noqa: RUF001 - other scripts have letters that look like ours

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coverset.encoders.connectives import LANGUAGES
from coverset.encoders.parts import MOST, split
from coverset.encoders.words import Analyser


@pytest.mark.parametrize(
    ("request_", "parts"),
    [
        ("sort an array, then drop duplicates", ["sort an array", "drop duplicates"]),
        (
            "read a csv file, drop duplicate rows and email it",
            ["read a csv file", "drop duplicate rows", "email it"],
        ),
        ("1. open the file\n2. count the words", ["open the file", "count the words"]),
        ("- resize the image\n- blur the edges", ["resize the image", "blur the edges"]),
        ("Find the cheapest flight. Book a hotel room!", ["Find the cheapest flight", "Book a hotel room!"]),
        ("smooth the signal before taking the spectrum", ["smooth the signal", "taking the spectrum"]),
        (
            "read a csv file. drop the duplicate rows. send it by email.",
            ["read a csv file", "drop the duplicate rows", "send it by email"],
        ),
        ("use np.array. sort the rows of data.csv.", ["use np.array", "sort the rows of data.csv"]),
        ("read csv;drop duplicates;send mail", ["read csv", "drop duplicates", "send mail"]),
        ("read a csv,drop duplicates and send a mail", ["read a csv", "drop duplicates", "send a mail"]),
        ("resize the image & rotate the photo", ["resize the image", "rotate the photo"]),
        ("read a csv -> drop duplicates -> email it", ["read a csv", "drop duplicates", "email it"]),
        ("read a csv→drop duplicates → email it", ["read a csv", "drop duplicates", "email it"]),
        ("Steps: a) read a csv b) drop duplicates c) email", ["read a csv", "drop duplicates", "email"]),
        ("Tasks:\n1. open the file\n2. count the words", ["open the file", "count the words"]),
    ],
)
def test_a_compound_request_comes_apart(request_: str, parts: list[str]) -> None:
    assert split(request_, Analyser("english")) == parts


@pytest.mark.parametrize(
    "request_",
    [
        "sort an array",
        "the weather in Paris, France on May 3, 2024",
        "who are Tom and Mary",
        "fast, small and cheap",
        "call Dr. Smith",
        "write to mr. smith about the late invoice",
        "pick some solver e.g. a linear program code",
        "order the rows i.e. sort the whole table",
        "pit brave cats vs. that big angry dog",
        "follow prices on the U.S. stock market today",
        "write 'All work is done.' into the log file",
        "list new books by Simon & Schuster editors",
        "sum 1,000 numbers like [1,2,3] or call f(first row,second row)",
        "search in the services netflix,prime.buy or hulu.free,apple.rent",
        "print red,green,blue",
        'set the string to "server name;user name"',
        "convert dollars -> euros",
        "wait for version 1.2.3... of the api",
        "and",
        "   ",
        "",
    ],
)
def test_a_simple_request_stays_whole(request_: str) -> None:
    assert split(request_, Analyser("english")) == []


@pytest.mark.parametrize(
    ("language", "request_", "parts"),
    [
        (
            "german",
            "Lies die Datei ein. Sortiere alle Zeilen.",
            ["Lies die Datei ein", "Sortiere alle Zeilen"],
        ),
        ("german", "1. Datei lesen\n2. Zeilen sortieren", ["Datei lesen", "Zeilen sortieren"]),
        ("german", "1. Datei lesen 2. Zeilen sortieren", ["Datei lesen", "Zeilen sortieren"]),
        ("german", "Bitte: 1. Datei lesen 2. Zeilen sortieren", ["Datei lesen", "Zeilen sortieren"]),
        (
            "german",
            "Buche einen Flug am 3. Mai und miete ein Auto bis zum 5. Juni",
            ["Buche einen Flug am 3. Mai", "miete ein Auto bis zum 5. Juni"],
        ),
        ("german", "Lade die Datei, dann sortiere sie", ["Lade die Datei", "sortiere sie"]),
        (
            "german",
            "Wie kann ich eine Matrix invertieren und das Ergebnis in eine Datei schreiben?",
            ["Wie kann ich eine Matrix invertieren", "das Ergebnis in eine Datei schreiben?"],
        ),
        (
            "french",
            "charger un fichier, puis supprimer les doublons et envoyer un courriel",
            ["charger un fichier", "supprimer les doublons", "envoyer un courriel"],
        ),
        (
            "spanish",
            "invertir una matriz, comprobar que es finita y guardarla en un archivo",
            ["invertir una matriz", "comprobar que es finita", "guardarla en un archivo"],
        ),
        (
            "italian",
            "ordina la tabella, inoltre manda un messaggio al cliente",
            ["ordina la tabella", "manda un messaggio al cliente"],
        ),
        (
            "portuguese",
            "converter as imagens e enviar uma fatura ao cliente",
            ["converter as imagens", "enviar uma fatura ao cliente"],
        ),
        (
            "dutch",
            "open het bestand en stuur een bericht naar de klant",
            ["open het bestand", "stuur een bericht naar de klant"],
        ),
    ],
)
def test_other_languages_have_connectives_of_their_own(language: str, request_: str, parts: list[str]) -> None:
    assert split(request_, Analyser(language)) == parts


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_joins_two_words_or_two_names_takes_nothing_apart(language: str) -> None:
    joins = LANGUAGES[language].joins.partition("|")[0]
    for request_ in (f"Anna {joins} Lukas", joins, f"zebra {joins} gnu"):
        assert split(request_, Analyser(language)) == []


def test_a_language_without_rules_goes_by_punctuation() -> None:
    swedish = Analyser("swedish")
    assert split("Läs filen först. Sortera alla rader.", swedish) == ["Läs filen först", "Sortera alla rader"]
    assert split("1. läsa filen\n2. sortera raderna", swedish) == ["läsa filen", "sortera raderna"]
    assert split("läsa hela filen och sortera alla rader", swedish) == []


@pytest.mark.parametrize(
    ("language", "request_", "parts"),
    [
        (
            "german",
            "Lies die Datei ein. Öffne dann das Archiv. Übersetze den Text.",
            ["Lies die Datei ein", "Öffne dann das Archiv", "Übersetze den Text"],
        ),
        ("german", "öffne die datei. lösche alle zeilen.", ["öffne die datei", "lösche alle zeilen"]),
        ("german", "„Lies die Datei.“ Öffne das Archiv.", ["Lies die Datei", "Öffne das Archiv"]),
        (
            "french",
            "Lis le fichier CSV. Écris un courriel à Paul. Éteins la lumière.",
            ["Lis le fichier CSV", "Écris un courriel à Paul", "Éteins la lumière"],
        ),
        (
            "spanish",
            "Lee el archivo grande. ¿Puedes enviarlo por correo?",
            ["Lee el archivo grande", "¿Puedes enviarlo por correo?"],
        ),
        (
            "dutch",
            "Open vervolgens het bestand. Stuur Jan bericht.",
            ["Open vervolgens het bestand", "Stuur Jan bericht"],
        ),
        ("turkish", "Dosyayı oku lütfen. İkinci satırı sil.", ["Dosyayı oku lütfen", "İkinci satırı sil"]),
        (
            "russian",
            "Прочитай файл из архива. Удали повторяющиеся строки. отправь письмо коллеге.",
            ["Прочитай файл из архива", "Удали повторяющиеся строки", "отправь письмо коллеге"],
        ),
        (
            "greek",
            "Διάβασε το αρχείο κειμένου. Στείλε ένα μήνυμα τώρα.",
            ["Διάβασε το αρχείο κειμένου", "Στείλε ένα μήνυμα τώρα"],
        ),
        ("armenian", "Կարդա ֆայլը հիմա։ Ջնջիր կրկնվող տողերը։", ["Կարդա ֆայլը հիմա", "Ջնջիր կրկնվող տողերը"]),
        (
            "arabic",
            "هل يمكنك قراءة الملف؟ احذف الصفوف المكررة؛ أرسل بريدا إلكترونيا.",
            ["هل يمكنك قراءة الملف؟", "احذف الصفوف المكررة", "أرسل بريدا إلكترونيا"],
        ),
        (
            "arabic",
            "اقرأ الملف النصي، احذف الصفوف المكررة، أرسل بريدا إلكترونيا",
            ["اقرأ الملف النصي", "احذف الصفوف المكررة", "أرسل بريدا إلكترونيا"],
        ),
        ("none", "קרא את הקובץ. מחק שורות כפולות.", ["קרא את הקובץ", "מחק שורות כפולות"]),
        (
            "hindi",
            "फ़ाइल को पढ़ो। डुप्लिकेट पंक्तियाँ हटाओ।",
            ["फ़ाइल को पढ़ो", "डुप्लिकेट पंक्तियाँ हटाओ"],
        ),
        ("tamil", "கோப்பை படி. நகல் வரிசைகளை நீக்கு.", ["கோப்பை படி", "நகல் வரிசைகளை நீக்கு"]),
        ("none", "CSV 파일을 읽어줘. 중복 행을 제거해줘.", ["CSV 파일을 읽어줘", "중복 행을 제거해줘"]),
        ("none", "ဖိုင်ကို ဖတ်ပါ။ စာကြောင်းများကို ဖျက်ပါ။", ["ဖိုင်ကို ဖတ်ပါ", "စာကြောင်းများကို ဖျက်ပါ"]),
        ("none", "อ่านไฟล์ CSV\nลบแถวที่ซ้ำ", ["อ่านไฟล์ CSV", "ลบแถวที่ซ้ำ"]),
    ],
)
def test_sentences_of_other_alphabets_come_apart(language: str, request_: str, parts: list[str]) -> None:
    assert split(request_, Analyser(language)) == parts


@pytest.mark.parametrize("language", ["none", "english"])
@pytest.mark.parametrize(
    ("request_", "parts"),
    [
        ("读取CSV文件，删除重复行，发送电子邮件", ["读取CSV文件", "删除重复行", "发送电子邮件"]),
        ("读取CSV文件。删除重复行。发送邮件吧！", ["读取CSV文件", "删除重复行", "发送邮件吧！"]),
        ("1、读取CSV文件；2、删除重复行；3、发送邮件", ["读取CSV文件", "删除重复行", "发送邮件"]),
        ("步骤：1、读取文件 2、删除重复行", ["读取文件", "删除重复行"]),
        ("①读取文件②删除重复行", ["读取文件", "删除重复行"]),
        ("1.读取文件\n2.删除重复行", ["读取文件", "删除重复行"]),
        ("ファイルを開く、データを保存する、メールを送る", ["ファイルを開く", "データを保存する", "メールを送る"]),
        ("pandasで読む。「平均を計算する。」グラフを描く。", ["pandasで読む", "平均を計算する", "グラフを描く"]),
    ],
)
def test_scripts_without_spaces_come_apart_at_their_own_marks(
    language: str, request_: str, parts: list[str]
) -> None:
    assert split(request_, Analyser(language)) == parts


@pytest.mark.parametrize(
    ("language", "request_"),
    [
        ("none", "北京、上海、广州的天气"),
        ("none", "价格是1，000元的手机"),
        ("none", "ファイル、フォルダ、データ"),
        ("german", "Schreibe Dr. Öztürk wegen der Rechnung"),
        ("german", "Buche einen Flug am 3. Mai nach Berlin"),
        ("german", "Buche einen Flug am 1. Mai nach Berlin"),
        ("danish", "bestil et fly den 3. maj til Berlin"),
        ("german", "kaufe rote Äpfel bzw. gelbe birnen vom markt"),
        ("french", "cherche Élodie et Émile Zola"),
        ("russian", "Поезжай завтра в г. Москва на вокзал"),
        ("russian", "Найди книги М. Горького в библиотеке"),
    ],
)
def test_names_and_short_forms_of_other_alphabets_stay_whole(language: str, request_: str) -> None:
    assert split(request_, Analyser(language)) == []


def test_what_numbers_a_part_is_not_part_of_it() -> None:
    asked = "(a) cancel my order; (b) refund the whole sum; (c) write to the customer"
    assert split(asked, Analyser()) == ["cancel my order", "refund the whole sum", "write to the customer"]


@given(st.text(st.sampled_from(list("abc .,;!?\n-1)ABand")), max_size=300))
def test_parts_are_few_different_and_never_empty(text: str) -> None:
    parts = split(text, Analyser("english"))
    assert len(parts) != 1
    assert len(parts) <= MOST
    assert len(set(parts)) == len(parts)
    assert all(part.strip() for part in parts)


@pytest.mark.parametrize("many", [" ", "\t", "ab. ", "ab cd. ", "ab,", "\uff0c", "\u2460 ", "Ab & "])
def test_long_requests_of_little_else_but_marks_are_soon_read(many: str) -> None:
    began = time.process_time()
    split(f"sort{many * 2_000}rows", Analyser("english"))
    assert time.process_time() - began < 2


SAID = ["read", "файл", "öffne", "हटाओ", "删除重复", "データ", "fichier", "ملف", "Zeilen", "one's", "e.g."]
BETWEEN = [" ", " ", ", ", ". ", "。", "，", "、", "; ", ";", ",", " & ", " -> ", "।", "، ", "؟ ", "\n- ", "! "]


@given(st.lists(st.tuples(st.sampled_from(SAID), st.sampled_from(BETWEEN)), max_size=24))
def test_no_word_of_content_is_lost_between_parts(said: list[tuple[str, str]]) -> None:
    text, analyser = "".join(word + between for word, between in said), Analyser("none")
    parts = split(text, analyser)
    if parts:
        assert set(analyser.surfaces(text)) == {word for part in parts for word in analyser.surfaces(part)}


@given(st.text(max_size=60), st.sampled_from([*LANGUAGES, "none", "russian"]))
def test_any_text_can_be_asked_for(text: str, language: str) -> None:
    assert len(split(text, Analyser(language))) != 1
