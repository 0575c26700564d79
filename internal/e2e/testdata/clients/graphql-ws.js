// All by one WebSocket.
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import { ask, socketURL, wrap } from "./ask.js";

await ask(wrap(createClient({ url: socketURL, webSocketImpl: WebSocket, retryAttempts: 0 })));
