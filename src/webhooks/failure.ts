/**
 * Names what kept an attempt from being answered. The phase it got to tells more than an error's code does: before
 * the name was resolved it was DNS, before the handshake was over it was TLS.
 */
import type { HttpFailure, HttpFailureKind } from "../lib/outbound/http-failure.ts";
import type { Connection } from "../lib/outbound/agent.ts";
import type { Outcome } from "./attempt.ts";

type Failed = Extract<Outcome, { outcome: "failed" }>;

/** Those whose name says it all; the others depend on how far the attempt came. */
const BY_KIND: Partial<Record<HttpFailureKind, Failed["error"]>> = {
  forbidden: "blocked",
  timeout: "timeout",
};

const BY_CODE: Readonly<Record<string, Failed["error"]>> = {
  ECONNREFUSED: "refused",
  ECONNRESET: "reset",
  EPIPE: "reset",
  UND_ERR_SOCKET: "reset",
  UND_ERR_HEADERS_OVERFLOW: "protocol",
};

export function failedOutcome(failure: HttpFailure, connection: Connection | null): Failed {
  const error = BY_KIND[failure.kind] ?? errorOf(codeOf(failure.cause), connection);
  return { outcome: "failed", error, message: failure.message };
}

function errorOf(code: string, connection: Connection | null): Failed["error"] {
  if (connection === null) return "unreachable";
  if (connection.dnsMs === null) return "dns";
  const known = BY_CODE[code];
  if (known !== undefined) return known;
  if (connection.connectMs === null) return "unreachable";
  return connection.tlsMs === null ? "tls" : "protocol";
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
