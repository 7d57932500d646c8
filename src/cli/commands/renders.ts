/** `shelfwire renders …`: the renders of a catalog, decisions about one that the publish guard holds, and rollbacks. */
import type { Command } from "commander";
import { invalidRequest } from "../../errors.ts";
import { formatCount } from "../../lib/counted.ts";
import { isUuid } from "../../lib/id.ts";
import { discardRender, promoteRender } from "../../pipeline/publication/decide.ts";
import type { RenderStats } from "../../pipeline/render/render.ts";
import type { Catalog } from "../../store/catalogs.ts";
import type { Db } from "../../store/db.ts";
import { findDiscardedRender, findHeldRender, findRenders, type RenderRecord } from "../../store/renders.ts";
import { listRenders, type RenderRow } from "../../store/run-history.ts";
import { commandChanges, commandUser } from "../change-log.ts";
import type { CommandContext } from "../context.ts";
import { table } from "../table.ts";
import { releaseCommand, rollbackCommand } from "./rollback.ts";

const LISTED = 20;

export function rendersCommands(program: Command, context: CommandContext): void {
  const renders = program
    .command("renders")
    .description(
      "list a catalog's renders; promote or discard one that is held; roll back to an earlier one",
    );
  listCommand(renders, context);
  promoteCommand(renders, context);
  discardCommand(renders, context);
  rollbackCommand(renders, context);
  releaseCommand(renders, context);
}

function listCommand(renders: Command, { withCatalog, print }: CommandContext): void {
  renders
    .command("list")
    .description(`the newest ${LISTED} renders and what became of them`)
    .requiredOption("--catalog <slug>", "which catalog")
    .action(async ({ catalog: slug }: { catalog: string }) => {
      const listed = await withCatalog(slug, async ({ id, publishedRunId }, { db }) => {
        const rows = await listRenders(db, id, { before: null, limit: LISTED });
        const records = await findRenders(
          db,
          rows.map((row) => row.id),
        );
        return rows.map((row) => renderData(row, records.get(row.id), publishedRunId));
      });
      print({ renders: listed }, () => [
        ...table(
          ["render", "finished", "state", "items", "files"],
          listed.map(({ run_id, finished_at, state, is_published, items, is_kept, restores }) => [
            run_id,
            finished_at ?? "",
            is_published ? `${state} (served)` : state,
            formatCount(items),
            restores === null ? (is_kept ? "kept" : "not kept") : `those of ${restores}`,
          ]),
        ),
        ...listed
          .filter(({ state }) => state === "held")
          .flatMap(({ exceeded }) => ["", "Held because:", ...exceeded.map(({ message }) => `  ${message}`)]),
      ]);
    });
}

function renderData(row: RenderRow, record: RenderRecord | undefined, published: string | null) {
  const { items = 0 } = row.stats as Partial<RenderStats>;
  return {
    run_id: row.id,
    state: record?.state ?? row.state,
    is_published: row.id === published,
    is_kept: record?.removedAt === null,
    items,
    ...decisionData(record),
    finished_at: row.finishedAt?.toISOString() ?? null,
  };
}

/** A render without a record failed. */
function decisionData({
  exceeded = [],
  reason = null,
  decidedBy = null,
  restores = null,
}: Partial<RenderRecord> = {}) {
  return { restores, exceeded, reason, decided_by: decidedBy };
}

type DecideOptions = { catalog: string; reason: string };

function promoteCommand(renders: Command, { withCatalog, print }: CommandContext): void {
  decideCommand(renders, "promote", "publish the files of a held render").action(
    async (given: string | undefined, { catalog: slug, reason }: DecideOptions) => {
      const runId = await withCatalog(slug, async (catalog, { db, jobs }) => {
        const { id: catalogId } = catalog;
        const run = await heldRun(db, catalog, given);
        const target = { type: "render", id: run, fields: ["published"] } as const;
        const recorded = commandChanges("renders promote").recording(db, catalogId, target);
        const by = { name: commandUser(), keyId: null };
        await promoteRender({ ...jobs, db: recorded }, { catalogId, runId: run, reason: told(reason), by });
        return run;
      });
      print({ run_id: runId, state: "published" }, () => [
        "The feed URLs serve the files of this render now.",
      ]);
    },
  );
}

function discardCommand(renders: Command, { withCatalog, print }: CommandContext): void {
  decideCommand(renders, "discard", "discard a held render; the published files stay").action(
    async (given: string | undefined, { catalog: slug, reason }: DecideOptions) => {
      const runId = await withCatalog(slug, async (catalog, { db }) => {
        const { id: catalogId } = catalog;
        const run = await heldRun(db, catalog, given);
        const target = { type: "render", id: run, fields: ["discarded"] } as const;
        const recorded = commandChanges("renders discard").recording(db, catalogId, target);
        const by = { name: commandUser(), keyId: null };
        await discardRender(recorded, { catalogId, runId: run, reason: told(reason), by });
        return run;
      });
      print({ run_id: runId, state: "discarded" }, () => ["Discarded. The published files stay."]);
    },
  );
}

const decideCommand = (renders: Command, name: string, description: string): Command =>
  renders
    .command(name)
    .description(description)
    .argument("[render]", "its id; the held one unless given")
    .requiredOption("--catalog <slug>", "which catalog")
    .requiredOption("--reason <text>", "why; it is kept with the render");

async function heldRun(db: Db, { id, slug }: Catalog, given: string | undefined): Promise<string> {
  if (given !== undefined) {
    if (isUuid(given)) return given;
    throw invalidRequest(`The id of a render is a UUID: shelfwire renders list --catalog ${slug}.`);
  }
  const held = await findHeldRender(db, id);
  if (held) return held.runId;
  const discarded = await findDiscardedRender(db, id);
  throw invalidRequest(
    discarded
      ? `No render of this catalog is held. The newest one, ${discarded.runId}, was discarded; to publish it after all: shelfwire renders promote ${discarded.runId} --catalog ${slug} --reason <text>.`
      : "No render of this catalog is held.",
  );
}

function told(reason: string): string {
  if (reason.trim() === "") throw invalidRequest("--reason must not be empty.");
  return reason.trim();
}
