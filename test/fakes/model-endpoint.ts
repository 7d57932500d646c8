/** An endpoint that speaks OpenAI's protocol for chat completions. It answers as a test says, also wrongly. */
import { createServer } from "node:http";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Disposable } from "../fresh.ts";

export type ModelRequest = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly model: string;
  readonly temperature: number;
  readonly response_format: { readonly type: string };
  readonly messages: readonly { readonly role: string; readonly content: string }[];
};

export type AskedItem = {
  readonly item: number;
  readonly open: readonly string[];
  readonly texts: Readonly<Record<string, string>>;
};

export type ModelEndpoint = {
  readonly url: string;
  readonly requests: ModelRequest[];
  /** Sets what is answered from now on. */
  answer: (items: readonly AskedItem[], response: ServerResponse) => void;
};

/** Ends a response with these values for items, by number. */
export function values(response: ServerResponse, items: readonly object[]): void {
  content(response, JSON.stringify({ items }));
}

export function content(response: ServerResponse, written: string): void {
  response.setHeader("content-type", "application/json");
  response.end(
    JSON.stringify({
      id: "chatcmpl-1",
      object: "chat.completion",
      choices: [{ index: 0, message: { role: "assistant", content: written }, finish_reason: "stop" }],
      usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
    }),
  );
}

export async function modelEndpoint(): Promise<Disposable<ModelEndpoint>> {
  const requests: ModelRequest[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = JSON.parse(await text(request)) as ModelRequest;
      requests.push({ ...body, path: request.url ?? "", headers: request.headers });
      endpoint.answer(JSON.parse(body.messages[1]?.content ?? "[]") as AskedItem[], response);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const endpoint = {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    answer: (_items: readonly AskedItem[], response: ServerResponse) => values(response, []),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return endpoint;
}
