/** Asks an endpoint that speaks OpenAI's protocol for chat completions, through the outbound guard. */
import { MODEL_BACKOFF_MS } from "../../lib/backoff.ts";
import { setTimeout as delay } from "node:timers/promises";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { requestBody } from "../../enrich/model/prompt.ts";
import type { HttpAnswer, HttpClient } from "../../lib/outbound/http-client.ts";
import { HttpFailure } from "../../lib/outbound/http-failure.ts";

export type ModelSettings = {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly name: string;
  /** Of one run. */
  readonly maxItems: number;
  /** Sent in one run. */
  readonly maxCharacters: number;
  readonly deadlineMs?: number;
  readonly retryDelaysMs?: readonly number[];
};

const DEADLINE_MS = 90_000;
/** A longer `Retry-After` ends the run's questions instead. */
const LONGEST_WAIT_MS = 60_000;
const MAX_BYTES = 1_000_000;

export type Completion = {
  readonly text: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
};
/** `isFinal`: every other question would fail as well. */
export type ModelFailure = { readonly failed: string; readonly isFinal: boolean };
export type Asked = (Completion | ModelFailure) & { readonly requests: number };

type Call = { readonly http: HttpClient; readonly settings: ModelSettings; readonly signal: AbortSignal };

export async function complete(question: string, { http, settings, signal }: Call): Promise<Asked> {
  const delays = settings.retryDelaysMs ?? MODEL_BACKOFF_MS;
  for (let requests = 1; ; requests++) {
    const attempt = await ask(question, { http, settings, signal });
    const wait = "retryAfterMs" in attempt ? Math.max(attempt.retryAfterMs, delays[requests - 1] ?? 0) : 0;
    if (!("retryAfterMs" in attempt)) return { ...attempt, requests };
    const { failed } = attempt;
    if (wait > LONGEST_WAIT_MS) return { failed, isFinal: true, requests };
    if (requests > delays.length) return { failed, isFinal: false, requests };
    await delay(wait, undefined, { signal });
  }
}

type Attempt = Completion | ModelFailure | { readonly failed: string; readonly retryAfterMs: number };

async function ask(question: string, { http, settings, signal }: Call): Promise<Attempt> {
  const { baseUrl, apiKey, name, deadlineMs = DEADLINE_MS } = settings;
  try {
    const answer = await http.request({
      method: "POST",
      url: `${baseUrl}/chat/completions`,
      headers: {
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        accept: "application/json",
      },
      body: JSON.stringify(requestBody(name, question)),
      signal,
      redirects: "refuse",
      limits: { totalMs: deadlineMs, headersMs: deadlineMs, idleMs: deadlineMs, maxBytes: MAX_BYTES },
    });
    if (answer.status !== 200) return refused(answer);
    return completionOf(await textOf(answer));
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    const { kind, message } = error;
    if (kind === "forbidden") return { failed: message, isFinal: true };
    if (kind === "too_large" || kind === "redirect") return { failed: message, isFinal: false };
    return { failed: message, retryAfterMs: 0 };
  }
}

async function textOf({ body }: HttpAnswer): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** Its body may repeat what was sent, or be anything: it is not read. */
function refused({ status, headers, discard }: HttpAnswer): Attempt {
  discard();
  const failed = `The model's endpoint answered with status ${status}.`;
  if (status !== 429 && status < 500) return { failed, isFinal: true };
  const seconds = Number(headers["retry-after"] ?? 0);
  return { failed, retryAfterMs: seconds > 0 ? seconds * 1_000 : 0 };
}

const CompletionBody = Type.Object({
  choices: Type.Array(
    Type.Object({
      message: Type.Object({ content: Type.String() }),
      finish_reason: Type.Optional(Type.Unknown()),
    }),
    { minItems: 1 },
  ),
  usage: Type.Optional(Type.Unknown()),
});
const Usage = Type.Object({
  prompt_tokens: Type.Integer({ minimum: 0 }),
  completion_tokens: Type.Integer({ minimum: 0 }),
});

const MALFORMED = {
  failed: "The model's endpoint answered with something that is no chat completion.",
  isFinal: false,
} as const;

function completionOf(body: string): Completion | ModelFailure {
  const json = parsed(body);
  if (!Value.Check(CompletionBody, json)) return MALFORMED;
  const [first] = json.choices;
  const usage = Value.Check(Usage, json.usage) ? json.usage : { prompt_tokens: 0, completion_tokens: 0 };
  return {
    text: first?.message.content ?? "",
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
