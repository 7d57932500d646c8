/** What every refusal has to be, asserted in one place. */
import assert from "node:assert/strict";
import { ERRORS } from "../../src/errors.ts";
import type { ErrorCode } from "../../src/errors.ts";
import type { Answer } from "./running-api.ts";

export type ProblemBody = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance?: string;
  readonly code: ErrorCode;
  readonly request_id: string;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
  readonly run_id?: string;
  readonly suggested_settings?: Readonly<Record<string, string>>;
};

export function assertProblem(answer: Answer, status: number, code: ErrorCode): ProblemBody {
  assert.equal(answer.status, status, answer.text);
  assert.match(String(answer.headers["content-type"]), /^application\/problem\+json(; charset=utf-8)?$/);
  const problem = answer.json as ProblemBody;
  assert.equal(problem.code, code);
  assert.equal(problem.status, status);
  assert.equal(problem.type, `urn:shelfwire:problem:${code}`);
  assert.equal(problem.title, ERRORS[code].title);
  assert.match(problem.detail, /\w+ .*\.$/, "the detail is a sentence");
  assert.equal(problem.request_id, answer.headers["x-request-id"]);
  assert.equal(answer.headers["cache-control"], "no-store");
  return problem;
}

/** The answer without what differs between any two requests; `names` are texts that may differ as well. */
export function likeness({ status, headers, text }: Answer, ...names: readonly string[]) {
  const { date: _date, "x-request-id": requestId, ...others } = headers;
  const same = [String(requestId), ...names].reduce((left, name) => left.replaceAll(name, "…"), text);
  return { status, headers: others, body: same };
}
