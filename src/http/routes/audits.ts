/** GET /api/v1/audit, /audits and /audit/findings: the score, its history, and what to fix. */
import { Readable } from "node:stream";
import { AuditAnswer, AuditsAnswer, PastAuditAnswer } from "../../contract/audits.ts";
import { FindingsAnswer, FindingsCsv, FindingsFilter, FindingsQuery } from "../../contract/findings.ts";
import type { Finding } from "../../contract/findings.ts";
import { RunParams } from "../../contract/runs.ts";
import { DEFAULT_LIMIT, PageQuery } from "../../contract/shapes.ts";
import { readChange, readReport } from "../../audit/report.ts";
import { AppError } from "../../errors.ts";
import { decodeTimeAndId, pageOf } from "../../lib/cursor.ts";
import { snakeCase, withSnakeCase } from "../../lib/snake-case.ts";
import { allFindings, pageFindings } from "../../pipeline/audit/findings.ts";
import type { ItemFinding } from "../../pipeline/audit/findings.ts";
import { findAudit, findNewestAudit, listAudits } from "../../store/audits.ts";
import type { AuditCursor, AuditRow, NewestAudit } from "../../store/audits.ts";
import { listRuns } from "../../store/runs.ts";
import type { Run } from "../../store/runs.ts";
import type { Api, ApiDeps } from "../api.ts";
import { csvHeaders, csvLine } from "../csv.ts";

export function auditRoutes(api: Api, deps: ApiDeps): void {
  auditReports(api, deps);
  pastAudit(api, deps);
  auditFindings(api, deps);
  findingsCsv(api, deps);
}

function auditReports(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/audit",
    scope: "read",
    operationId: "getAudit",
    summary: "The newest audit",
    description:
      "The score and grade of the catalog with the whole explanation: every rule with what it costs, what a fix would gain, and examples; every dimension and channel, the ceiling, rejected rows, and why the score changed. `audit` is null before the first sync.",
    answers: { 200: AuditAnswer },
    handler: async ({ caller }) => {
      const newest = await findNewestAudit(db, caller.catalogId);
      const [run] = await listRuns(db, caller.catalogId, { kind: "audit", limit: 1 });
      const audit = newest ? auditBody(newest) : null;
      return { body: { data: { audit, last_failure: run?.state === "failed" ? failureOf(run) : null } } };
    },
  });

  api.route({
    method: "GET",
    url: "/audits",
    scope: "read",
    operationId: "listAudits",
    summary: "List audits",
    description: "Every audit that finished, newest first: one for each render.",
    query: PageQuery,
    answers: { 200: AuditsAnswer },
    handler: async ({ caller, query }) => {
      const { cursor, limit = DEFAULT_LIMIT } = query;
      const after = cursor === undefined ? null : auditCursor(cursor);
      const rows = await listAudits(db, caller.catalogId, { after, limit: limit + 1 });
      const { page, nextCursor } = pageOf(rows, limit, ({ createdAt, runId }) => [
        createdAt.toISOString(),
        runId,
      ]);
      return { body: { data: { audits: page.map(auditSummary), next_cursor: nextCursor } } };
    },
  });
}

function pastAudit(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/audits/:id",
    scope: "read",
    operationId: "getPastAudit",
    summary: "Get an audit of the past",
    description: "The score of one audit, and why it differs from that of the audit before.",
    params: RunParams,
    answers: { 200: PastAuditAnswer },
    handler: async ({ caller, params: { id } }) => {
      const found = await findAudit(db, caller.catalogId, id);
      if (!found) throw new AppError("not_found", "This catalog has no such audit.");
      return { body: { data: { ...auditSummary(found), change: changeOf(found) } } };
    },
  });
}

const changeOf = ({ change }: Pick<NewestAudit, "change">) => (change === null ? null : readChange(change));

function auditFindings(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/audit/findings",
    scope: "read",
    heavy: "page",
    operationId: "listFindings",
    summary: "List what the newest audit found",
    description:
      "One entry for each item and rule that the newest audit failed, by item id. Filter by rule for the items with one problem, or by item for the problems of one item.",
    query: FindingsQuery,
    answers: { 200: FindingsAnswer },
    handler: async ({ caller, query }) => {
      const { cursor, limit = DEFAULT_LIMIT, ...asked } = query;
      const page = await pageFindings(db, caller.catalogId, {
        ...filterOf(asked),
        ...(cursor !== undefined && { cursor }),
        limit,
      });
      const findings = page.findings.map(finding);
      return { body: { data: { run_id: page.runId, findings, next_cursor: page.nextCursor } } };
    },
  });
}

function findingsCsv(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/audit/findings.csv",
    scope: "read",
    heavy: "stream",
    operationId: "downloadFindings",
    summary: "Download what the newest audit found",
    description: "The same list as a table for spreadsheets, not paged.",
    query: FindingsFilter,
    answers: { 200: FindingsCsv },
    handler: async ({ caller, query }) => {
      const pages = allFindings(db, caller.catalogId, filterOf(query));
      // Read before the answer begins, so that a wrong filter is refused.
      const first = await pages.next();
      const name = query.rule === undefined ? "findings.csv" : `findings-${query.rule}.csv`;
      return { headers: csvHeaders(name), body: Readable.from(csvOf(first, pages)) };
    },
  });
}

type Pages = AsyncGenerator<readonly ItemFinding[], void>;

async function* csvOf(first: IteratorResult<readonly ItemFinding[], void>, pages: Pages) {
  yield csvLine(["item_id", "item_title", "rule", "title", "severity", "field", "lost", "message", "advice"]);
  for (let page = first; page.done !== true; page = await pages.next())
    yield page.value.map(findingLine).join("");
}

function findingLine(found: ItemFinding): string {
  const { item_id, item_title, rule, title, severity, field, lost, message, advice } = finding(found);
  return csvLine([item_id, item_title, rule, title, severity, field, lost, message, advice]);
}

function filterOf({ rule, severity, item_id: itemId }: FindingsFilter) {
  return {
    ...(rule !== undefined && { rule }),
    ...(severity !== undefined && { severity }),
    ...(itemId !== undefined && { itemId }),
  };
}

function auditBody(newest: NewestAudit) {
  const { runId, createdAt, previousScore, report } = newest;
  const { score: catalogScore, ...rest } = readReport(report);
  const body = withSnakeCase({ runId, createdAt, catalogScore, previousScore });
  return { ...rest, ...body, change: changeOf(newest) };
}

const auditSummary = ({ score: catalogScore, ...row }: AuditRow) => withSnakeCase({ ...row, catalogScore });

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

export function finding({ itemId, itemTitle, id, field, ...rest }: ItemFinding): Finding {
  return { ...rest, item_id: itemId, item_title: itemTitle, rule: id, field: snakeCase(field) };
}
