/** /api/v1/renders: what each render wrote, and which items will be refused or are left out. */
import { Readable } from "node:stream";
import {
  RefusalsAnswer,
  RefusalsCsv,
  RefusalsFilter,
  RefusalsQuery,
  RenderAnswer,
  RendersAnswer,
  type Refusal,
  type RenderDetail,
} from "../../contract/renders.ts";
import { RunParams } from "../../contract/runs.ts";
import { DEFAULT_LIMIT, PageQuery } from "../../contract/shapes.ts";
import { decodeOffset, decodeTimeAndId, encodeCursor, pageOf } from "../../lib/cursor.ts";
import { withSnakeCase } from "../../lib/snake-case.ts";
import { openLines, pageRefusals } from "../../pipeline/render/refusal-pages.ts";
import type { RefusalLine } from "../../pipeline/render/refusal-report.ts";
import type { RenderStats } from "../../pipeline/render/render.ts";
import { remedyFor } from "../../pipeline/render/remedies.ts";
import type { FeedFolders } from "../../files/feed-folders.ts";
import { findCatalog } from "../../store/catalogs.ts";
import type { Queries } from "../../store/db.ts";
import { listFeedFiles } from "../../store/feed-files.ts";
import { findRender, findRenders } from "../../store/renders.ts";
import { listRenders, type RunDetail } from "../../store/run-history.ts";
import type { Api, ApiDeps } from "../api.ts";
import { csvHeaders, csvLine } from "../csv.ts";
import { renderBody } from "../render-view.ts";
import { requireRun, textFilter } from "./runs.ts";

type RenderDeps = ApiDeps & { readonly folders: FeedFolders };

export function renderRoutes(api: Api, deps: RenderDeps): void {
  list(api, deps);
  one(api, deps);
  refusals(api, deps);
  refusalsCsv(api, deps);
}

function list(api: Api, { db }: RenderDeps): void {
  api.route({
    method: "GET",
    url: "/renders",
    scope: "read",
    operationId: "listRenders",
    summary: "List renders",
    description: "Every render, newest first, with the items and the size of each file.",
    query: PageQuery,
    answers: { 200: RendersAnswer },
    handler: async ({ caller: { catalogId }, query: { cursor, limit = DEFAULT_LIMIT } }) => {
      const before = cursor === undefined ? null : decodeTimeAndId(cursor);
      const published = (await findCatalog(db, catalogId))?.publishedRunId;
      const rows = await listRenders(db, catalogId, { before, limit: limit + 1 });
      const { page, nextCursor } = pageOf(rows, limit, (last) => [last.createdAt.toISOString(), last.id]);
      const ids = page.map(({ id }) => id);
      const records = await findRenders(db, ids);
      const renders = page.map((row) => renderBody(row, published, records.get(row.id)));
      return { body: { data: { renders, next_cursor: nextCursor } } };
    },
  });
}

function one(api: Api, { db }: RenderDeps): void {
  api.route({
    method: "GET",
    url: "/renders/:id",
    scope: "read",
    operationId: "getRender",
    summary: "Get a render",
    description:
      "One render with, for each file, how many items its destination will refuse or the merchant leaves out, grouped by reason, and what to do about each.",
    params: RunParams,
    answers: { 200: RenderAnswer },
    handler: async ({ caller: { catalogId }, params: { id } }) => ({
      body: { data: await renderDetail(db, catalogId, id) },
    }),
  });
}

export async function renderDetail(db: Queries, catalogId: string, id: string): Promise<RenderDetail> {
  const run = await requireRun(db, catalogId, id, "render");
  const published = (await findCatalog(db, catalogId))?.publishedRunId;
  const files = (await listFeedFiles(db, id)).map((file) => ({
    ...file,
    reasons: reasonsOf(run, file.file),
  }));
  return { ...renderBody({ ...run, files: [] }, published, await findRender(db, id)), files };
}

function refusals(api: Api, { db, folders }: RenderDeps): void {
  api.route({
    method: "GET",
    url: "/renders/:id/refusals",
    scope: "read",
    heavy: "page",
    operationId: "listRefusals",
    summary: "List the refused items of a render",
    description:
      "Each item that the destination of a file will refuse, or that a file leaves out, with the reason, by file, reason and text.",
    params: RunParams,
    query: RefusalsQuery,
    answers: { 200: RefusalsAnswer },
    handler: async ({ caller: { catalogId }, params: { id }, query }) => {
      const { cursor, limit = DEFAULT_LIMIT, ...filter } = query;
      const from = cursor === undefined ? 0 : decodeOffset(cursor);
      const run = await requireRun(db, catalogId, id, "render");
      const isWanted = wanted(filter);
      const place = await placeOf(db, run);
      const page = place && (await pageRefusals(folders, place, { from, limit, isWanted }));
      const { lines, next } = page ?? { lines: firstOf(run).filter(isWanted).slice(0, limit), next: null };
      const found = { runId: id, isComplete: page !== undefined, refusals: lines.map(refusalBody) };
      const nextCursor = next === null ? null : encodeCursor([next]);
      return { body: { data: withSnakeCase({ ...found, nextCursor }) } };
    },
  });
}

function refusalsCsv(api: Api, { db, folders }: RenderDeps): void {
  api.route({
    method: "GET",
    url: "/renders/:id/refusals.csv",
    scope: "read",
    heavy: "stream",
    operationId: "downloadRefusals",
    summary: "Download the refused items of a render",
    description: "The same list as a table for spreadsheets, not paged.",
    params: RunParams,
    query: RefusalsFilter,
    answers: { 200: RefusalsCsv },
    handler: async ({ caller: { catalogId }, params: { id }, query }) => {
      const run = await requireRun(db, catalogId, id, "render");
      const place = await placeOf(db, run);
      const lines = place && (await openLines(folders, place));
      const isWanted = wanted(query);
      const body = Readable.from(csvOf(lines ?? firstOf(run).map((line) => ({ line })), isWanted));
      return { headers: csvHeaders(`render-${id}-refusals.csv`), body };
    },
  });
}

/** Gathered into pieces: a line a write would be slow. */
const PIECE = 64 * 1024;

async function* csvOf(
  lines: Iterable<{ readonly line: RefusalLine }> | AsyncIterable<{ readonly line: RefusalLine }>,
  isWanted: (line: RefusalLine) => boolean,
): AsyncGenerator<string> {
  let piece = csvLine(["file", "item_id", "included", "code", "field", "message"]);
  for await (const { line } of lines) {
    if (!isWanted(line)) continue;
    piece += csvLine([
      line.file,
      line.item_id,
      line.included ? "yes" : "no",
      line.code,
      line.field,
      line.message,
    ]);
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}

function wanted({ file, code, q }: RefusalsFilter): (line: RefusalLine) => boolean {
  const hasText = textFilter(q);
  return (line) =>
    (file === undefined || line.file === file) &&
    (code === undefined || line.code === code) &&
    hasText([line.item_id, line.field, line.code, line.message]);
}

/** Finds where the list of the render is stored; undefined for a render that wrote no list. */
async function placeOf(db: Queries, { id, catalogId }: RunDetail) {
  const [file] = await listFeedFiles(db, id);
  return file && { catalogId, folder: file.folder };
}

/** Renders of earlier versions have no refusals. */
type StoredFiles = Readonly<Record<string, Partial<RenderStats["files"][string]>>>;

const filesIn = ({ stats }: RunDetail): StoredFiles => (stats as { files?: StoredFiles }).files ?? {};

/** Returns the part of the list that the run itself keeps: the first entries of each file. */
function firstOf(run: RunDetail): readonly RefusalLine[] {
  return Object.entries(filesIn(run)).flatMap(([file, { refusals: first = [] }]) =>
    first.map((entry) => ({ file, ...entry })),
  );
}

function reasonsOf(run: RunDetail, file: string): RenderDetail["files"][number]["reasons"] {
  const { reasons = {}, refusals: first = [] } = filesIn(run)[file] ?? {};
  return Object.entries(reasons)
    .toSorted(([, a], [, b]) => b - a)
    .map(([code, count]) => {
      const example = first.find((entry) => entry.code === code);
      return {
        code,
        count,
        remedy: remedyFor(code) ?? null,
        example: example ?? null,
      };
    });
}

/** The list holds only names of hosted files. */
const refusalBody = (line: RefusalLine): Refusal => ({ ...line, file: line.file as Refusal["file"] });
