/**
 * A law about every catalog that a test of a source reads: the items are rendered and audited, and each file is
 * validated. Exactly what the render reports as refused has errors, and exactly that is refused in the audit.
 */
import assert from "node:assert/strict";
import { openAudit } from "../src/audit/audit.ts";
import { FORMATS } from "../src/audit/rule.ts";
import type { ItemGroup } from "../src/catalog/item.ts";
import type { CatalogSettings } from "../src/catalog/settings.ts";
import { CHANNELS, VALIDATORS } from "../src/channels/registry.ts";
import { inPieces } from "../src/channels/validate.fixture.ts";
import { validateFeed } from "../src/channels/validate.ts";
import type { HttpClient } from "../src/lib/outbound/http-client.ts";
import { readOffline } from "../src/pipeline/offline/read.ts";
import type { Connector, SourceEvent } from "../src/sources/source.ts";
import { tempDir } from "./fresh.ts";

/** Larger catalogs repeat what smaller ones have. */
const MOST_EVENTS = 2_000;

const SETTINGS: CatalogSettings = { sellerName: "Shop", currency: "EUR" };

/** `events` are those of a read that has ended. */
export async function expectAgreement(
  { connector, http }: { readonly connector: Connector; readonly http: HttpClient },
  events: readonly SourceEvent[],
): Promise<void> {
  if (events.length > MOST_EVENTS || events.at(-1)?.kind !== "end") return;
  await using spool = await tempDir();
  const { groups } = await readOffline({
    connector: {
      ...connector,
      // oxlint-disable-next-line require-await -- The events are there already.
      read: async function* () {
        yield* events;
      },
    },
    url: "https://shop.example/",
    settings: SETTINGS,
    http,
    spoolRoot: spool.path,
    signal: new AbortController().signal,
  });
  if (groups.length > 0) await expectSameRefusals(groups, SETTINGS);
}

export async function expectSameRefusals(
  groups: readonly ItemGroup[],
  settings: CatalogSettings,
): Promise<void> {
  const asOf = new Date();
  const context = { catalog: { slug: "shop", name: "Shop" }, settings, asOf, snapshotAt: asOf };
  const refusedIn = new Map<string, number>();
  for (const file of VALIDATORS.keys()) {
    const writer = CHANNELS[file].open(context);
    const pieces = groups.map((group) => writer.group(group));
    const text = writer.head() + pieces.map((piece) => piece.text).join("") + writer.tail();
    const refused = new Set(pieces.flatMap(({ refusals }) => refusals.map(({ itemId }) => itemId)));
    refusedIn.set(file, refused.size);
    const { problems } = await validateFeed(inPieces(text), { format: file, now: asOf, most: 100_000 });
    const errors = problems.filter(({ severity }) => severity === "error");
    const shown = errors.map(({ itemId, rule, value }) => `${rule} ${itemId} ${value}`).join("\n");
    assert.deepEqual(new Set(errors.map(({ itemId }) => itemId)), refused, `${file}\n${shown}`);
  }
  const audit = openAudit({
    settings,
    asOf,
    freshness: { lastSyncAt: null, intervalS: null },
  });
  for (const group of groups) audit.group(group);
  for (const { id, ready, total } of audit.finish().formats)
    assert.equal(total - ready, refusedIn.get(FORMATS[id].files[0]), `refused by ${id}`);
}
