"""The tea shop over HTTP: as Rasa's REST channel, as a chat endpoint, and as a webhook that requires a token. The first segment
of a path can be a fault. Prints the port."""

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from bot import Bot

shops = {}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, status, body, kind="application/json", headers=()):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        _, fault, path = self.path.split("/", 2)
        if fault == "500":
            return self.send(500, b"the kettle \x1b[31mis broken")
        if fault == "garbage":
            return self.send(200, b"\xff\xfe<html>")
        if fault == "large":
            return self.send(200, b'["' + b"x" * (10 << 20) + b'"]')
        if fault == "endless":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            try:
                while True:
                    self.wfile.write(b"400\r\n" + b" " * 1024 + b"\r\n")
            except OSError:
                return
        if fault == "redirect":
            return self.send(307, b"", headers=[("Location", "http://127.0.0.1:1/elsewhere")])
        if fault == "headers":
            return self.send(200, b"[]", headers=[("X-Large", "x" * (1 << 20))])
        if fault == "hangs":
            time.sleep(30)
        if path == "webhooks/rest/webhook":
            answer = shops.setdefault(request["sender"], Bot(fault)).say(request["message"])
            body = [{"recipient_id": request["sender"], "text": text} for text in answer["reply"].split("? ")]
        elif path == "v1/chat/completions":
            # It has no state: it replays the history.
            shop = Bot(fault)
            said = [message["content"] for message in request["messages"] if message["role"] == "user"]
            assert request["messages"][0]["role"] == "system", request
            answer = [shop.say(text) for text in said][-1]
            message = {"role": "assistant", "content": answer["reply"]}
            body = {"object": "chat.completion", "choices": [{"index": 0, "message": message}]}
        else:
            if self.headers.get("Authorization") != "Bearer planted-secret":
                return self.send(401, b'{"error": "no token"}')
            shop = shops.setdefault(request["id"] or f"shop-{len(shops)}", Bot(fault))
            name = next(name for name, known in shops.items() if known is shop)
            answer = shop.say(request["text"])
            body = {"id": name, "token": f"token-{name}", "echo": self.headers["Authorization"], "out": answer}
            assert shop.turns == 1 or request["token"] == f"token-{name}", request
        self.send(200, json.dumps(body).encode())


class Server(ThreadingHTTPServer):
    def handle_error(self, *_):
        """Ignores disconnected clients, which are part of the test."""


server = Server(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
