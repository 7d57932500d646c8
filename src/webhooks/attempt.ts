/** How one attempt at one delivery ended, and where its time went. The caller decides what follows; see `schedule.ts`. */
import type { Connection } from "../lib/outbound/agent.ts";

/** Whose fault and of what kind. `protocol`: what came back is not HTTP. `blocked`: our guard let it go nowhere. */
export type AttemptError =
  | "dns"
  | "refused"
  | "unreachable"
  | "reset"
  | "tls"
  | "timeout"
  | "blocked"
  | "protocol"
  | "redirect"
  | "http";

/** Milliseconds. Zero for what a kept connection spares, null for what was never reached. */
export type Waterfall = Connection & {
  readonly firstByteMs: number | null;
  readonly totalMs: number;
};

export type Outcome =
  | { readonly outcome: "delivered"; readonly status: number; readonly answer: Buffer }
  /** The receiver answered, and the answer is not a 2xx. */
  | {
      readonly outcome: "rejected";
      readonly error: "redirect" | "http";
      readonly message: string;
      readonly status: number;
      readonly location: string | null;
      readonly answer: Buffer;
    }
  | {
      readonly outcome: "failed";
      readonly error: Exclude<AttemptError, "redirect" | "http">;
      readonly message: string;
    };

export type Attempt = Outcome & {
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly waterfall: Waterfall;
};

/** The same, flat, as it is kept in the log. `error` is null for a success. */
export function attemptRecord(attempt: Attempt) {
  const { startedAt, endedAt, waterfall } = attempt;
  const isSuccess = attempt.outcome === "delivered";
  return {
    startedAt,
    endedAt,
    ...waterfall,
    status: attempt.outcome === "failed" ? null : attempt.status,
    error: isSuccess ? null : attempt.error,
    message: isSuccess ? null : attempt.message,
    location: attempt.outcome === "rejected" ? attempt.location : null,
    answer: attempt.outcome === "failed" ? null : attempt.answer,
  };
}

const HIDDEN = "[feed token]";
/** A token that the end of what is kept of an answer cut off is hidden too, from this length on. */
const SHORTEST_CUT = 4;

/** The same without a secret that was in the payload: receivers may repeat what they were sent. */
export function withoutSecret<T extends Pick<AttemptRecord, "message" | "location" | "answer">>(
  record: T,
  secret: string,
): T {
  const { message, location, answer } = record;
  return {
    ...record,
    message: message?.replaceAll(secret, HIDDEN) ?? null,
    location: location?.replaceAll(secret, HIDDEN) ?? null,
    answer: answer && hiddenInBytes(answer, secret),
  };
}

type AttemptRecord = ReturnType<typeof attemptRecord>;

/** As Latin-1, which keeps every byte. */
function hiddenInBytes(bytes: Buffer, secret: string): Buffer {
  const text = bytes.toString("latin1").replaceAll(secret, HIDDEN);
  for (let length = secret.length - 1; length >= SHORTEST_CUT; length -= 1) {
    const start = secret.slice(0, length);
    if (text.endsWith(start)) return Buffer.from(text.slice(0, -length) + HIDDEN, "latin1");
  }
  return Buffer.from(text, "latin1");
}
