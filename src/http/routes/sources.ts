/** /api/v1/sources: where the catalog is pulled from. A source of another catalog is reported as unknown. */
import {
  ChangedSource,
  KindsAnswer,
  NewSource,
  RemovedSource,
  RemovedSourceAnswer,
  SourceAnswer,
  SourcesAnswer,
  TriedAnswer,
  TriedSource,
} from "../../contract/sources.ts";
import type { Source } from "../../contract/sources.ts";
import { AppError } from "../../errors.ts";
import { withCamelCase } from "../../lib/snake-case.ts";
import type { SourceToTry } from "../../pipeline/sync/sample.ts";
import { sourceStates } from "../../pipeline/status/status.ts";
import { requestSourceTest } from "../../pipeline/source-tests/request.ts";
import {
  addSource,
  checkSourceTarget,
  newSettingsToTry,
  decryptSecrets,
  removeSource,
  settingsToTry,
  updateSource,
} from "../../setup/sources.ts";
import { fieldNames } from "../../setup/changes.ts";
import { CONNECTORS } from "../../sources/registry.ts";
import type { Connector } from "../../sources/source.ts";
import { lockCatalog } from "../../store/catalogs.ts";
import { newestSync, newestSyncs } from "../../store/newest-syncs.ts";
import { findSource, lockSource, listSources } from "../../store/sources.ts";
import type { SourceRow } from "../../store/sources.ts";
import type { Api, ApiDeps } from "../api.ts";
import { sampleView } from "../sample-view.ts";
import { sourceView } from "../source-view.ts";
import { targetGuard } from "../target-guard.ts";

/** The default interval without SYNC_INTERVAL. */
const DEFAULT_INTERVAL_S = 21_600;

export function sourceRoutes(api: Api, deps: ApiDeps): void {
  listRoutes(api, deps);
  addRoute(api, deps);
  changeRoute(api, deps);
  removeRoute(api, deps);
  testRoute(api, deps);
}

function listRoutes(api: Api, deps: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/sources",
    scope: "read",
    operationId: "listSources",
    summary: "List sources",
    description: "Each with its last run. Secrets are never returned.",
    answers: { 200: SourcesAnswer },
    handler: async ({ caller }) => ({ body: { data: { sources: await viewAll(deps, caller.catalogId) } } }),
  });

  api.route({
    method: "GET",
    url: "/sources/kinds",
    scope: "read",
    operationId: "listSourceKinds",
    summary: "List the kinds of sources",
    description: "With the settings of each, as a form can show them.",
    answers: { 200: KindsAnswer },
    handler: async () => ({ body: { data: { kinds: Object.values(CONNECTORS).map(kindView) } } }),
  });
}

function addRoute(api: Api, deps: ApiDeps): void {
  api.route({
    method: "POST",
    url: "/sources",
    scope: "write",
    operationId: "addSource",
    summary: "Add a source",
    description: "Its first sync begins within seconds, unless `enabled` is false.",
    body: NewSource,
    answers: { 201: SourceAnswer },
    problems: [422],
    handler: async ({ caller, body, changeLog, request }) => {
      const { kind, settings, ...rest } = body;
      const { catalogId } = caller;
      const intervalS = deps.syncIntervalS ?? DEFAULT_INTERVAL_S;
      const input = { catalogId, kind, settings, intervalS, ...fieldsOf(rest) };
      await checkSourceTarget(kind, newSettingsToTry(kind, settings), targetGuard(deps, request));
      const id = await deps.db.tx(async (tx) => {
        const added = await addSource(tx, deps.encryption, input);
        await changeLog.record(tx, catalogId, { type: "source", id: added.id, fields: fieldNames(body) });
        return added.id;
      });
      return { status: 201, body: { data: await viewOne(deps, catalogId, id) } };
    },
  });
}

function changeRoute(api: Api, deps: ApiDeps): void {
  api.route({
    method: "PATCH",
    url: "/sources",
    scope: "write",
    operationId: "changeSource",
    summary: "Change a source",
    description:
      "Fields and settings that are not sent keep their values, secrets included. The next sync reads the source in full, and what follows from new settings is published with it (`guard`).",
    body: ChangedSource,
    answers: { 200: SourceAnswer },
    problems: [422],
    handler: async ({ caller, body: { id, ...fields }, changeLog, request }) => {
      const { settings, ...rest } = fields;
      if (settings !== undefined) {
        const source = await requireSource(caller.catalogId, id, async () => findSource(deps.db, id));
        const edited = settingsToTry(deps.encryption, source, nullsAsEmpty(settings));
        await checkSourceTarget(source.kind, edited, targetGuard(deps, request));
      }
      await deps.db.tx(async (tx) => {
        if (rest.name !== undefined) await lockCatalog(tx, caller.catalogId);
        const source = await requireSource(caller.catalogId, id, async () => lockSource(tx, id));
        await updateSource(tx, deps.encryption, source, {
          settings: nullsAsEmpty(settings),
          ...fieldsOf(rest),
        });
        await changeLog.record(tx, caller.catalogId, { type: "source", id, fields: fieldNames(fields) });
      });
      return { body: { data: await viewOne(deps, caller.catalogId, id) } };
    },
  });
}

function removeRoute(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "DELETE",
    url: "/sources",
    scope: "write",
    operationId: "removeSource",
    summary: "Remove a source",
    description:
      "The caller chooses whether to keep or remove its items. The source is removed at once, and a running sync of it fails. In a catalog of 10,000 items or more the answer is 202, and a run updates the items.",
    body: RemovedSource,
    answers: { 200: RemovedSourceAnswer, 202: RemovedSourceAnswer },
    problems: [422],
    handler: async ({ caller, body: { id, items }, changeLog }) => {
      await requireSource(caller.catalogId, id, async () => findSource(db, id));
      const target = { type: "source", id, fields: [`items=${items}`] } as const;
      const recorded = changeLog.recording(db, caller.catalogId, target);
      const { kept, removed, runId } = await removeSource(recorded, id, items);
      const data = { id, deleted: true as const, items_kept: kept, items_removed: removed, run_id: runId };
      if (runId === null) return { body: { data } };
      return { status: 202, headers: { location: `/api/v1/runs/${runId}` }, body: { data } };
    },
  });
}

function testRoute(api: Api, deps: ApiDeps): void {
  api.route({
    method: "POST",
    url: "/sources/test",
    scope: "write",
    heavy: "test",
    operationId: "testSource",
    summary: "Test a source",
    description:
      "Checks the credentials and reads the first items, of a saved source or with settings that are not saved. Changes nothing. A worker runs the test; a caller that disconnects cancels it. If the source cannot be read, the answer is 422 with the reason.",
    body: TriedSource,
    answers: { 200: TriedAnswer },
    problems: [422],
    handler: async ({ caller, body, signal, request }) => {
      const { catalogId, ...source } = await toTry(deps, caller.catalogId, body);
      await checkSourceTarget(source.kind, source.settings, targetGuard(deps, request));
      const sampled = await requestSourceTest(deps, { catalogId, test: { source }, signal });
      return { body: { data: { probe: sampled.probe, ...sampleView(sampled) } } };
    },
  });
}

async function toTry(
  { db, encryption }: ApiDeps,
  catalogId: string,
  { id, kind, settings }: TriedSource,
): Promise<SourceToTry> {
  if (id !== undefined && kind === undefined) {
    const source = await requireSource(catalogId, id, async () => findSource(db, id));
    return {
      catalogId,
      id,
      kind: source.kind,
      settings: settingsToTry(encryption, source, nullsAsEmpty(settings)),
    };
  }
  if (kind !== undefined && id === undefined) {
    return { catalogId, kind, settings: newSettingsToTry(kind, nullsAsEmpty(settings)) };
  }
  throw new AppError("invalid_request", "Send the id of a source, or a kind with its settings.", {
    fields: [{ pointer: id === undefined ? "/id" : "/kind", detail: "Send either id or kind." }],
  });
}

async function requireSource(
  catalogId: string,
  id: string,
  find: () => Promise<SourceRow | undefined>,
): Promise<SourceRow> {
  const source = await find();
  if (source?.catalogId === catalogId) return source;
  throw new AppError("unknown_source", `This catalog has no source ${id}.`);
}

/** Makes null an empty text, because both clear a setting. */
function nullsAsEmpty(settings: Readonly<Record<string, string | null>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).map(([name, text]) => [name, text ?? ""]));
}

function fieldsOf(change: Omit<ChangedSource, "id" | "settings">) {
  const { name, ...fields } = withCamelCase(change);
  return { ...fields, ...(name !== undefined && { name: name.trim() }) };
}

async function viewAll({ db, encryption }: ApiDeps, catalogId: string): Promise<readonly Source[]> {
  const [sources, runs, stateOf] = await Promise.all([
    listSources(db, catalogId),
    newestSyncs(db, catalogId),
    sourceStates(db, catalogId),
  ]);
  const lastRuns = new Map(runs.map((run) => [run.sourceId, run]));
  return sources.map((source) =>
    sourceView(
      source,
      { lastRun: lastRuns.get(source.id), ...stateOf(source.id) },
      decryptSecrets(encryption),
    ),
  );
}

async function viewOne({ db, encryption }: ApiDeps, catalogId: string, id: string): Promise<Source> {
  const source = await requireSource(catalogId, id, async () => findSource(db, id));
  const stateOf = await sourceStates(db, catalogId);
  const current = { lastRun: await newestSync(db, id), ...stateOf(id) };
  return sourceView(source, current, decryptSecrets(encryption));
}

function kindView({ kind, label, fields }: Connector) {
  return {
    kind,
    label,
    fields: fields.map((field) => ({ choices: null, default: null, ...field })),
  };
}
