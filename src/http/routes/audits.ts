/** GET /api/v1/audit, /audits and /audit/findings: the score, how it moved, and what to do about it. */
import { AuditAnswer, AuditsAnswer, FindingsAnswer, FindingsQuery } from "../../contract/audits.ts";
import type { Finding } from "../../contract/audits.ts";
import { DEFAULT_LIMIT, PageQuery } from "../../contract/shapes.ts";
import { readChange, readReport } from "../../audit/report.ts";
import { decodeTimeAndId, encodeCursor } from "../../lib/cursor.ts";
import { snakeCase } from "../../lib/snake-case.ts";
import { pageFindings } from "../../pipeline/audit/findings.ts";
import type { ItemFinding } from "../../pipeline/audit/findings.ts";
import { findNewestAudit, listAudits } from "../../store/audits.ts";
import type { AuditCursor, AuditRow, NewestAudit } from "../../store/audits.ts";
import { listRuns } from "../../store/runs.ts";
import type { Run } from "../../store/runs.ts";
import type { Api, ApiDeps } from "../api.ts";

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
    operationId: "getAudit",
    summary: "The newest audit",
    description:
      "The score and grade of the catalog with the whole explanation: every rule with what it costs, what fixing it would bring and examples, every dimension and channel, the ceiling, rejected rows, and why the score moved. `audit` is null before the first sync.",
    tag: "Audit",
    answers: { 200: AuditAnswer },

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
    operationId: "listAudits",
    summary: "List audits",
    description: "Every audit that finished, newest first: one for each render.",
    tag: "Audit",
    query: PageQuery,
    answers: { 200: AuditsAnswer },

    handler: async ({ caller, query }) => {
      const { cursor, limit = DEFAULT_LIMIT } = query;
      const after = cursor === undefined ? null : auditCursor(cursor);
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
    operationId: "listFindings",
    summary: "List what the newest audit found",
    description:
      "One entry for each item and rule that the newest audit found wanting, by item id: which items have this problem, or what is wrong with this item.",
    tag: "Audit",
    query: FindingsQuery,
    answers: { 200: FindingsAnswer },

    handler: async ({ caller, query }) => {
      const { rule, severity, item_id, cursor, limit = DEFAULT_LIMIT } = query;
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
    change: change === null ? null : readChange(change),
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

function auditCursor(cursor: string): AuditCursor {
  const { at: createdAt, id: runId } = decodeTimeAndId(cursor);
  return { createdAt, runId };
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
