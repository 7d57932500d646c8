/**
 * A shop as events. Products are walked first: what is sold as it is goes out at once, what has variations is put on
 * disk. Then the list of all variations is walked and each meets its parent there, so that neither list is ever in
 * memory and no product costs a request of its own. How shops without such a list are read is in `variations.ts`.
 */
import { join } from "node:path";
import { AppError } from "../../errors.ts";
import { prefetch } from "../../lib/prefetch.ts";
import type { ReadContext, SourceEvent, SourceSettings } from "../source.ts";
import { completePages, completePage } from "./complete.ts";
import { connect } from "./connect.ts";
import { type Desk, eventDesk } from "./desk.ts";
import type { Dialect } from "./dialect.ts";
import { type IdSet, idSet } from "../kit/id-set.ts";
import type { WooLimits } from "./limits.ts";
import { noiseNotes, sourceNote } from "./noise.ts";
import { parentSpool } from "./parent-spool.ts";
import { restDialect } from "./rest-dialect.ts";
import { ownFieldsOf, takesExternal } from "./settings.ts";
import { storeDialect } from "./store-dialect.ts";
import { type Parent, variationReader } from "./variations.ts";
import { type Listed, listedIn, walkList, type Walker } from "./walk.ts";

type Events = AsyncGenerator<SourceEvent, void, void>;

type Reading = {
  readonly dialect: Dialect;
  readonly desk: Desk;
  readonly walker: Walker;
  /** Products that are no items, so that their variations are none either. */
  readonly leftOut: IdSet;
};

export async function* readWoo(settings: SourceSettings, context: ReadContext, limits: WooLimits): Events {
  const connecting = { http: context.http, signal: context.signal, limits };
  const shop = await connect(settings, connecting);
  const options = { own: ownFieldsOf(settings), takesExternal: takesExternal(settings) };
  const dialect =
    shop.access === "public"
      ? await storeDialect(shop, options)
      : await restDialect(shop, connecting, options);
  const walker = { api: shop.api, limits, signal: context.signal };
  const reading = { dialect, walker, desk: eventDesk(context.signal), leftOut: idSet() };
  yield* context.extent === "sample" ? readSample(reading) : readWhole(reading, context.spoolDir);
}

async function* readWhole(reading: Reading, spoolDir: string): Events {
  const { dialect, desk, walker } = reading;
  const spool = parentSpool(join(spoolDir, "variable-products"));
  try {
    const variations = variationReader({ ...reading, spool });
    for await (const page of prefetch(
      completePages(walkList(walker, dialect.products), dialect, "product"),
    )) {
      const parents: Parent[] = [];
      yield* productEvents(page, reading, parents);
      yield* variations.ofPage(parents);
    }
    yield* variations.rest();
  } finally {
    spool.close();
  }
  yield* countUnlisted(dialect, desk);
  yield* closing(reading);
}

const UNCOUNTED =
  "Everything for sale was read, but the shop did not tell how many products it keeps back (drafts, private or hidden ones), so they are not counted this time. If this stays so, look at the error log of the shop.";

/** Everything has been read by now, so a shop that will not tell this number is not failed for it. */
async function* countUnlisted(dialect: Dialect, desk: Desk): Events {
  try {
    const { reason, count } = await dialect.unlisted();
    desk.leftOut.count(reason, count);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    yield { kind: "warning", warning: sourceNote(UNCOUNTED) };
  }
}

/** One page, and of the variations only those of its own products. It is whole only if the page is the shop. */
async function* readSample(reading: Reading): Events {
  const { dialect, walker } = reading;
  const size = walker.limits.sampleSize;
  const page = await walker.api.page(dialect.products, { offset: 0, size, isLeast: true });
  const parents: Parent[] = [];
  yield* productEvents(await completePage(page.rows.map(listedIn), dialect, "product"), reading, parents);
  const variations = variationReader({ ...reading, spool: null });
  for (const parent of parents) yield* variations.ofPage([parent]);
  if (page.total !== null && page.rows.length >= page.total) yield* closing(reading);
}

/** The items of a page. What has variations is added to `parents`. */
function* productEvents(
  page: readonly Listed[],
  { dialect, desk, leftOut }: Reading,
  parents: Parent[],
): Generator<SourceEvent, void, void> {
  for (const listed of page) {
    if (listed.kind === "broken") {
      yield desk.broken("products");
      continue;
    }
    const verdict = dialect.product(listed.row);
    if (verdict.kind === "item") yield desk.draft(verdict.draft);
    else if (verdict.kind === "parent") parents.push(listed);
    else if (verdict.kind === "unpriced") yield desk.unpriced(verdict.id);
    else {
      desk.leftOut.count(verdict.reason);
      leftOut.add(listed.id);
    }
  }
}

function* closing({ dialect, desk, walker }: Reading): Generator<SourceEvent, void, void> {
  for (const note of [...noiseNotes(walker.api), ...desk.priceNotes(), ...dialect.notes()])
    yield { kind: "warning", warning: sourceNote(note) };
  for (const warning of desk.leftOut.warnings()) yield { kind: "warning", warning };
  // The shop counts products and variations, not what is for sale; both were compared with its totals on the way.
  yield { kind: "end", validators: null, expected: null };
}
