"""Checks that docs, help, messages and comments use the words of docs/glossary.md.

The words below were this project's own and are ordinary English nowhere else; each is listed with
the words to use instead. A new one is added when a reader stumbles over it.
"""

import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "ci"))

import sentences  # noqa: E402

PRIVATE = {
    r"\bwhoever\b": "users who, any caller",
    r"\bsurely\b": "the interval excludes, established",
    r"\bnobody else\b": "no other user",
    r"\bon (its|their) way\b": "in progress, not yet received",
    r"\blet(s)? go\b(?! of)": "released, exited",
    r"\bgo(es)? on\b": "continues, resumes",
    r"\bfor good\b": "permanently",
    r"\bcures?\b": "fix",
    r"\b(the|a|each) patient\b": "the machine",
    r"\bseats?\b": "slot",
    r"\bis none of\b": "is not one of",
    r"(?<!there )\bis no (?!longer\b|more\b|less\b)\w+": "is not a",
    r"\b(is|are|be) told\b": "receives, learns",
    r"\bthe kernel'?s? word\b": "as the kernel reports",
    r"\ba row a run\b": "one row per run",
    r"\bsaid so\b": "reported",
    r"\bstretch(es)?\b": "segment, block",
    r"\bmay not cannot\b": "unauthorised actions are refused",
}
# Text that quotes a former wording, and names that clients read.
ALLOWED = re.compile(r"docs/changelog\.md|`stretch(es)?`|\"stretch(es)?\"")


class VocabularyTest(unittest.TestCase):
    def test_no_sentence_uses_a_private_word(self):
        found = []
        for kind in (sentences.docs, sentences.help_texts, sentences.messages, sentences.comments):
            for where, sentence in kind():
                for pattern, better in PRIVATE.items():
                    word = re.search(pattern, sentence, re.IGNORECASE)
                    if word and not ALLOWED.search(f"{where}: {sentence}"):
                        found.append(f"{where}: '{word.group()}' ({better}): {sentence}")
        self.assertEqual(found, [], "\n".join(["", *found]))


if __name__ == "__main__":
    unittest.main()
