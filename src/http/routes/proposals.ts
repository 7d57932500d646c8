/** /api/v1/proposals: values that are proposed for items, and decisions about them. */
import {
  DecidedAnswer,
  Decide,
  GroupQuery,
  ProposalGroupsAnswer,
  ProposalQuery,
  ProposalsAnswer,
  type ProposalGroup,
  type ProposalState,
} from "../../contract/proposals.ts";
import { DEFAULT_LIMIT } from "../../contract/shapes.ts";
import { AcceptedAnswer, PreferHeaders } from "../../contract/syncs.ts";
import { proposableField } from "../../enrich/overlays.ts";
import { fieldNamed, unknownField } from "../../enrich/rules/field-names.ts";
import { AppError } from "../../errors.ts";
import { badCursor, decodeCursor, pageOf } from "../../lib/cursor.ts";
import { isUuid, newId } from "../../lib/id.ts";
import { withSnakeCase } from "../../lib/snake-case.ts";
import { findPointShare } from "../../pipeline/enrich/point-share.ts";
import { decide, type DecisionAction } from "../../pipeline/enrich/review.ts";
import type { Queries } from "../../store/db.ts";
import {
  countProposals,
  type GroupPlace,
  listExamples,
  listProposalGroups,
  listProposals,
  type ProposalGroupRow,
} from "../../store/proposal-lists.ts";
import { enqueueRun } from "../../store/runs.ts";
import { findOpenRun } from "../../store/run-history.ts";
import type { Api, ApiDeps } from "../api.ts";
import { proposalBodies } from "../proposal-body.ts";
import { accepted, prefersAsync, waitForEffects, waitForPlan } from "../run-answer.ts";

export function proposalRoutes(api: Api, deps: ApiDeps): void {
  listing(api, deps);
  for (const action of ["approve", "reject", "withdraw"] as const) deciding(api, deps, action);
  refreshing(api, deps);
}

function listing(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/proposals",
    scope: "read",
    heavy: "page",
    operationId: "listProposalGroups",
    summary: "List proposals by group",
    description:
      "Equal values of the same field by the same extractor together, the largest gain first. GET /proposals/items has them one by one.",
    query: GroupQuery,
    answers: { 200: ProposalGroupsAnswer },
    handler: async ({
      caller: { catalogId },
      query: { state = "pending", field: name, cursor, limit = 50 },
    }) => {
      const field = proposedField(name);
      const after = cursor === undefined ? undefined : groupPlaceIn(cursor);
      const rows = await listProposalGroups(db, catalogId, { state, field, after, limit: limit + 1 });
      const { page, nextCursor } = pageOf(rows, limit, (last) => [last.exactGain, last.items, last.key]);
      const groups = await groupBodies(db, { catalogId, state }, page);
      const counts = await countProposals(db, catalogId);
      return { body: { data: { groups, counts: { ...counts }, next_cursor: nextCursor } } };
    },
  });

  api.route({
    method: "GET",
    url: "/proposals/items",
    scope: "read",
    heavy: "page",
    operationId: "listProposals",
    summary: "List proposals one by one",
    description: "In order of item.",
    query: ProposalQuery,
    answers: { 200: ProposalsAnswer },
    handler: async ({ caller: { catalogId }, query }) => {
      const { cursor, limit = DEFAULT_LIMIT, item_id: itemId, field: name, ...filter } = query;
      const field = proposedField(name);
      const after = cursor === undefined ? undefined : placeIn(cursor);
      const rows = await listProposals(db, catalogId, { ...filter, field, itemId, after, limit: limit + 1 });
      const { page, nextCursor } = pageOf(rows, limit, (last) => [last.itemId, last.id]);
      const share = await findPointShare(db, catalogId);
      const proposals = await proposalBodies(db, { catalogId, share }, page);
      return { body: { data: { proposals, next_cursor: nextCursor } } };
    },
  });
}

/** An unknown field name would return an empty list, as if there were no proposals, so it is refused. */
function proposedField(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const field = proposableField(name);
  if (field) return field.name;
  const reason = fieldNamed(name) ? `Values of ${name} are never proposed.` : unknownField(name);
  throw new AppError("invalid_request", reason);
}

const EXAMPLES = 10;

type Listed = { readonly catalogId: string; readonly state: ProposalState };

/** All proposals of a group share these fields, so they are read from the first one. */
async function groupBodies(
  db: Queries,
  { catalogId, state }: Listed,
  rows: readonly ProposalGroupRow[],
): Promise<ProposalGroup[]> {
  const keys = rows.map(({ key }) => key);
  const examples = await listExamples(db, catalogId, { state, groups: keys, limit: EXAMPLES });
  const share = await findPointShare(db, catalogId);
  const bodies = Map.groupBy(await proposalBodies(db, { catalogId, share }, examples), ({ group }) => group);
  return rows.flatMap(({ key: group, gain, ...row }) => {
    const own = bodies.get(group) ?? [];
    // Undefined if all of them were decided on meanwhile.
    const [first] = own;
    if (first === undefined) return [];
    const { extractor, field, value, rule } = first;
    return { ...withSnakeCase(row), group, extractor, field, value, rule, gain: gain * share, examples: own };
  });
}

function groupPlaceIn(cursor: string): GroupPlace {
  const [gain, items, key] = decodeCursor(cursor, ["string", "number", "string"]);
  const place = { exactGain: String(gain), items: Number(items), key: String(key) };
  const isPlace =
    /^-?\d{1,300}(\.\d{1,300})?$/.test(place.exactGain) &&
    Number.isSafeInteger(place.items) &&
    /^([0-9a-f]{2}){1,64}$/.test(place.key);
  if (!isPlace) throw badCursor();
  return place;
}

function placeIn(cursor: string): { itemId: string; id: string } {
  const [itemId = "", id = ""] = decodeCursor(cursor, ["string", "string"]).map(String);
  if (!isUuid(id)) throw badCursor();
  return { itemId, id };
}

const SUMMARIES: Readonly<Record<DecisionAction, string>> = {
  approve: "Approve proposals",
  reject: "Reject proposals",
  withdraw: "Withdraw decisions",
};
const DESCRIPTIONS: Readonly<Record<DecisionAction, string>> = {
  approve:
    "The values are applied to the items; the feeds change with the next sync or POST /feeds. An earlier approved value of the same field retires. Values with words that are not in the evidence are approved one at a time. With `dry_run` nothing is stored, and the answer says what would change.",
  reject: "They are not proposed again.",
  withdraw:
    "The proposals are pending again; items whose values were approved have those of their source and of the rules. With the `decision_id` that a decision has answered, it is undone: its proposals, and values that they replaced, are as they were before.",
};

function deciding(api: Api, deps: ApiDeps, action: DecisionAction): void {
  api.route({
    method: "POST",
    url: `/proposals/${action}`,
    scope: "write",
    operationId: `${action}Proposals`,
    summary: SUMMARIES[action],
    description: DESCRIPTIONS[action],
    body: Decide,
    headers: PreferHeaders,
    answers: { 200: DecidedAnswer },
    problems: [404, 409, 422],
    handler: async ({ caller, signal, headers, body, changeLog }) => {
      const { catalogId } = caller;
      const { dry_run: isDryRun = false, ...decision } = body;
      if (isDryRun && action === "approve") {
        const plan = await waitForPlan({ ...deps, signal }, catalogId, { kind: "approval", decision });
        return { body: { data: { decided: 0, unchanged: 0, run_id: null, decision_id: null, plan } } };
      }
      const recorded = changeLog.recording(deps.db, catalogId, { type: "proposals", fields: [action] });
      const { decided, unchanged, runId, decisionId } = await decide(recorded, catalogId, {
        ...decision,
        action,
        keyId: caller.key.id,
      });
      if (runId !== null && !prefersAsync(headers.prefer)) await waitForEffects({ ...deps, signal }, runId);
      return { body: { data: { decided, unchanged, run_id: runId, decision_id: decisionId } } };
    },
  });
}

function refreshing(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "POST",
    url: "/proposals/refresh",
    scope: "write",
    operationId: "refreshProposals",
    summary: "Look for proposals now",
    description: "Reads the catalog once in the background. This also follows every sync that changed items.",
    answers: { 202: AcceptedAnswer },
    handler: async ({ caller: { catalogId }, changeLog }) => {
      const id = newId();
      const runId = await db.tx(async (tx) => {
        const run = { id, catalogId, sourceId: null, kind: "proposals", cause: "request" } as const;
        const queued = (await enqueueRun(tx, run)) ? id : await findOpenRun(tx, catalogId, "proposals");
        await changeLog.record(tx, catalogId, { type: "proposals", runId: queued ?? id });
        return queued ?? id;
      });
      return accepted(runId, "runs");
    },
  });
}
