/** GET /api/v1/audit, /audits and /audit/findings: the score, how it moved, and what to do about it. */
import {
  AuditAnswer,
  AuditsAnswer,
  FindingsAnswer,
  FindingsQuery,
  PageQuery,
} from "../../contract/audits.ts";
import type { Finding, FindingsQuery as FindingsAsked, WholeAudit } from "../../contract/audits.ts";
import { readReport } from "../../audit/report.ts";
import { badCursor, decodeCursor, encodeCursor } from "../../lib/cursor.ts";
import { isUuid } from "../../lib/id.ts";
import { snakeCase } from "../../lib/snake-case.ts";
import { pageFindings } from "../../pipeline/audit/findings.ts";
import type { ItemFinding } from "../../pipeline/audit/findings.ts";
import { findNewestAudit, listAudits } from "../../store/audits.ts";
import type { AuditPlace, AuditRow, NewestAudit } from "../../store/audits.ts";
import { listRuns } from "../../store/runs.ts";
import type { Run } from "../../store/runs.ts";
import type { Api, ApiDeps } from "../api.ts";
import { DEFAULT_LIMIT } from "../page.ts";
import type { PageAsked } from "../page.ts";
import { problems } from "../responses.ts";

export function auditRoutes(api: Api, deps: ApiDeps): void {
  newestAudit(api, deps);
  auditHistory(api, deps);
  auditFindings(api, deps);
}

function newestAudit(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/audit",
    scope: "read",
    schema: {
      operationId: "getAudit",
      summary: "The newest audit",
      description:
        "The score and grade of the catalog with the whole explanation: every rule with what it costs, what fixing it would bring and examples, every dimension and channel, the ceiling, rejected rows, and why the score moved. `audit` is null before the first sync.",
      tags: ["Audit"],
      response: { 200: AuditAnswer, ...problems(401, 403, 429, 503) },
    },
    handler: async ({ caller }) => {
      const audit = await findNewestAudit(db, caller.catalogId);
      const [newest] = await listRuns(db, caller.catalogId, { kind: "audit", limit: 1 });
      return {
        body: {
          data: {
            audit: audit ? wholeAudit(audit) : null,
            last_failure: newest?.state === "failed" ? failureOf(newest) : null,
          },
        },
      };
    },
  });
}

function auditHistory(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/audits",
    scope: "read",
    schema: {
      operationId: "listAudits",
      summary: "List audits",
      description: "Every audit that finished, newest first: one for each render.",
      tags: ["Audit"],
      querystring: PageQuery,
      response: { 200: AuditsAnswer, ...problems(400, 401, 403, 429, 503) },
    },
    handler: async ({ caller, request }) => {
      const { cursor, limit = DEFAULT_LIMIT } = request.query as PageAsked;
      const after = cursor === undefined ? null : auditPlace(cursor);
      const rows = await listAudits(db, caller.catalogId, { after, limit: limit + 1 });
      const audits = rows.slice(0, limit);
      const last = rows.length > limit ? audits.at(-1) : undefined;
      const next = last ? encodeCursor([last.createdAt.toISOString(), last.runId]) : null;
      return { body: { data: { audits: audits.map(auditLine), next_cursor: next } } };
    },
  });
}

function auditFindings(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/audit/findings",
    scope: "read",
    schema: {
      operationId: "listFindings",
      summary: "List what the newest audit found",
      description:
        "One entry for each item and rule that the newest audit found wanting, by item id: which items have this problem, or what is wrong with this item.",
      tags: ["Audit"],
      querystring: FindingsQuery,
      response: { 200: FindingsAnswer, ...problems(400, 401, 403, 429, 503) },
    },
    handler: async ({ caller, request }) => {
      const { rule, severity, item_id, cursor, limit = DEFAULT_LIMIT } = request.query as FindingsAsked;
      const page = await pageFindings(db, caller.catalogId, {
        ...(rule !== undefined && { rule }),
        ...(severity !== undefined && { severity }),
        ...(item_id !== undefined && { itemId: item_id }),
        ...(cursor !== undefined && { cursor }),
        limit,
      });
      const findings = page.findings.map(finding);
      return { body: { data: { run_id: page.runId, findings, next_cursor: page.nextCursor } } };
    },
  });
}

function wholeAudit({ runId, createdAt, previousScore, report, change }: NewestAudit) {
  const { score, ...rest } = readReport(report);
  return {
    ...rest,
    run_id: runId,
    created_at: createdAt.toISOString(),
    catalog_score: score,
    previous_score: previousScore,
    change: change === null ? null : (JSON.parse(change) as WholeAudit["change"]),
  };
}

function auditLine({ runId, score, grade, previousScore, items, ruleset, createdAt }: AuditRow) {
  return {
    run_id: runId,
    catalog_score: score,
    grade,
    previous_score: previousScore,
    items,
    ruleset,
    created_at: createdAt.toISOString(),
  };
}

function failureOf({ id, error, createdAt, finishedAt }: Run) {
  return {
    run_id: id,
    code: error?.code ?? "internal",
    message: error?.message ?? "The audit failed.",
    finished_at: (finishedAt ?? createdAt).toISOString(),
  };
}

/** As we write times: no other calendar, no year beyond the database's. */
function isOurTime(time: Date, text: string): boolean {
  return /^\d{4}-/.test(text) && !Number.isNaN(time.getTime());
}

function auditPlace(cursor: string): AuditPlace {
  const [at, runId] = decodeCursor(cursor, ["string", "string"]);
  const place = { createdAt: new Date(String(at)), runId: String(runId) };
  if (!isOurTime(place.createdAt, String(at)) || !isUuid(place.runId)) throw badCursor();
  return place;
}

export function finding({ itemId, id, ...rest }: ItemFinding): Finding {
  const { title, dimension, severity, points, earned, lost, message, advice } = rest;
  const field = snakeCase(rest.field);
  return {
    item_id: itemId,
    rule: id,
    title,
    dimension,
    severity,
    field,
    points,
    earned,
    lost,
    message,
    advice,
  };
}
