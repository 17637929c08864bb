"""A user who tries to block benchd for others: 64 connections that do not read or never end a call.

    hostile_client.py SOCKET CALLS CONNECTIONS

CALLS is a JSON file: a list of {"path", "message" (base64), "streams", "read", "kind"}. Connection
number i makes the call at index i modulo its length, on that many streams at a time, until standard
input ends. With `read` false, the window stays at 0 and the server can send nothing. `kind`:
`whole` sends the message and starts again after the answer; `cut` announces 8 MiB and sends 7 of
them; `endless` announces 2 GiB and keeps sending; `pieces` sends the message again and again.

It writes HTTP/2 (RFC 9113) itself, because a gRPC library would obey the rules that this client
breaks, and it needs only Python's own modules. It prints "ready" when all connections have begun,
and finally the counts of answers as JSON.
"""

import base64
import collections
import json
import os
import selectors
import socket
import sys
import time

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, ACK, END_HEADERS = 1, 1, 4
FRAME_BYTES = 16384
OPEN_WINDOW = 2**31 - 1
DEFAULT_WINDOW = 65535
MIB = 2**20


def frame(kind, flags, stream, payload=b""):
    """A frame as in section 4.1."""
    return (len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big")
            + payload)


def headers(path):
    """Literal fields without indexing, RFC 7541 section 6.2.2, each of at most 126 bytes."""
    fields = [(":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "localhost"),
              ("content-type", "application/grpc"), ("te", "trailers")]
    block = b""
    for name, value in fields:
        block += b"\0"
        for text in (name, value):
            block += bytes((len(text),)) + text.encode()
    return block


class Stream:
    """The data that one stream has yet to send."""

    def __init__(self, call, window):
        self.window = window
        message = base64.b64decode(call["message"])
        self.again = b""
        self.fill = 0  # number of zero bytes to send after the head
        self.ends = False
        if call["kind"] == "cut":
            self.head, self.fill = b"\0" + (8 * MIB).to_bytes(4, "big"), 7 * MIB
        elif call["kind"] == "endless":
            self.head, self.fill = b"\0" + (2**31 - 1).to_bytes(4, "big"), 2**31 - 1
        else:
            self.head = b"\0" + len(message).to_bytes(4, "big") + message
            self.again = self.head if call["kind"] == "pieces" else b""
            self.ends = call["kind"] == "whole"
        self.ended = False

    def next(self, most):
        """The next bytes and whether they are the last, or None if there are none now."""
        if not self.head and self.again:
            self.head = self.again
        if self.head:
            piece, self.head = self.head[:most], self.head[most:]
            self.ended = self.ends and not self.head
            return piece, self.ended
        if self.fill:
            size = min(most, self.fill)
            self.fill -= size
            return bytes(size), False
        return None


class Connection:
    def __init__(self, path, call, counts):
        self.path, self.call, self.counts = path, call, counts
        self.connect()

    def connect(self):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(self.path)
        self.socket.setblocking(False)
        own_window = OPEN_WINDOW if self.call["read"] else 0
        self.out = bytearray(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
                             + frame(SETTINGS, 0, 0, b"\x00\x04" + own_window.to_bytes(4, "big"))
                             + frame(WINDOW_UPDATE, 0, 0,
                                     (OPEN_WINDOW - DEFAULT_WINDOW).to_bytes(4, "big")))
        self.input = bytearray()
        self.window = self.first_window = DEFAULT_WINDOW
        self.streams = collections.OrderedDict()
        self.next_id = 1
        for _ in range(self.call["streams"]):
            self.begin()

    def begin(self):
        stream, self.next_id = self.next_id, self.next_id + 2
        self.streams[stream] = Stream(self.call, self.first_window)
        self.out += frame(HEADERS, END_HEADERS, stream, headers(self.call["path"]))
        self.counts["begun"] += 1

    def answered(self, stream, how):
        if self.streams.pop(stream, None) is not None:
            self.counts[how] += 1
            self.begin()

    def fill(self):
        """Queues as much data as the windows permit."""
        for number, stream in list(self.streams.items()):
            while len(self.out) < MIB and min(self.window, stream.window) > 0 and not stream.ended:
                piece = stream.next(min(FRAME_BYTES, self.window, stream.window))
                if piece is None:
                    break
                data, last = piece
                self.window -= len(data)
                stream.window -= len(data)
                self.out += frame(DATA, END_STREAM if last else 0, number, data)
        return bool(self.out)

    def send(self):
        sent = self.socket.send(self.out)
        self.counts["sent bytes"] += sent
        del self.out[:sent]

    def receive(self):
        data = self.socket.recv(MIB)
        if not data:
            raise ConnectionResetError
        self.input += data
        while len(self.input) >= 9:
            size = int.from_bytes(self.input[:3], "big")
            if len(self.input) < 9 + size:
                break
            kind, flags = self.input[3], self.input[4]
            number = int.from_bytes(self.input[5:9], "big") & OPEN_WINDOW
            payload = bytes(self.input[9:9 + size])
            del self.input[:9 + size]
            self.take(kind, flags, number, payload)

    def take(self, kind, flags, number, payload):
        if kind == SETTINGS and not flags & ACK:
            for i in range(0, len(payload), 6):
                if payload[i:i + 2] == b"\x00\x04":
                    window = int.from_bytes(payload[i + 2:i + 6], "big")
                    for stream in self.streams.values():
                        stream.window += window - self.first_window
                    self.first_window = window
            self.out += frame(SETTINGS, ACK, 0)
        elif kind == PING and not flags & ACK:
            self.out += frame(PING, ACK, 0, payload)
        elif kind == WINDOW_UPDATE:
            more = int.from_bytes(payload, "big") & OPEN_WINDOW
            if number == 0:
                self.window += more
            elif number in self.streams:
                self.streams[number].window += more
        elif kind == RST_STREAM:
            self.answered(number, "reset")
        elif kind in (DATA, HEADERS):
            self.counts["received bytes"] += len(payload)
            if flags & END_STREAM:
                self.answered(number, "answered")
        elif kind == GOAWAY:
            raise ConnectionResetError


def main():
    path, calls_file, connections = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(calls_file, encoding="utf-8") as file:
        calls = json.load(file)
    counts = [collections.Counter() for _ in calls]
    selector = selectors.DefaultSelector()
    os.set_blocking(0, False)
    selector.register(0, selectors.EVENT_READ, None)
    away = []  # (time of the next attempt, connection)
    for i in range(connections):
        connection = Connection(path, calls[i % len(calls)], counts[i % len(calls)])
        selector.register(connection.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, connection)
    print("ready", flush=True)
    going = True
    while going:
        now = time.monotonic()
        for when, connection in [entry for entry in away if entry[0] <= now]:
            away.remove((when, connection))
            try:
                connection.connect()
                selector.register(connection.socket, selectors.EVENT_READ | selectors.EVENT_WRITE,
                                  connection)
            except OSError:
                away.append((now + 0.05, connection))
        for key, events in selector.select(0.05):
            connection = key.data
            if connection is None:
                going = os.read(0, 1) != b""
                continue
            try:
                if events & selectors.EVENT_READ:
                    connection.receive()
                if connection.fill():
                    connection.send()
                wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if connection.out else 0)
                if wanted != key.events:
                    selector.modify(connection.socket, wanted, connection)
            except BlockingIOError:
                continue
            except OSError:
                connection.counts["connections lost"] += 1
                selector.unregister(connection.socket)
                connection.socket.close()
                away.append((time.monotonic() + 0.05, connection))
    names = [f"{call['path'].rsplit('/', 1)[1]} {call['kind']}{'' if call['read'] else ', unread'}"
             for call in calls]
    print(json.dumps(dict(zip(names, counts))), flush=True)


if __name__ == "__main__":
    main()
