// All by server-sent events, a connection for each operation.
import { createClient } from "graphql-sse";
import { ask, url, wrap } from "./ask.js";

await ask(wrap(createClient({ url, retryAttempts: 0 })));
