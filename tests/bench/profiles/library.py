"""usage: library.py LIBRARY CALLS: calls each of the library's 30 functions, and C code of Python.

About a fifth of the time is that of json, re and zlib, so that the profile has functions of the
interpreter and of other libraries.
"""

import ctypes
import json
import re
import sys
import zlib


def main():
    library = ctypes.CDLL(sys.argv[1])
    stages = []
    for number in range(30):
        stages.append(library[f"stage_{number}"])
        stages[-1].argtypes, stages[-1].restype = [ctypes.c_uint64], ctypes.c_uint64
    document = {f"key {i}": [i, str(i), {"half": i / 2}] for i in range(100)}
    word = re.compile(r"[a-z]+ \d+")
    x = 1
    for _ in range(int(sys.argv[2])):
        for stage in stages:
            x = stage(x)
        text = json.dumps(document)
        x += len(word.findall(text)) + len(zlib.compress(text.encode(), 3))
    print(f"{x:x}")


if __name__ == "__main__":
    main()
