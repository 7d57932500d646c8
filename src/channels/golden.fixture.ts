/** The golden files of the renderers as whole feeds: what a case shows, between the head and the tail of its file. */
import { readdirSync, readFileSync } from "node:fs";
import type { Item, ItemGroup } from "../catalog/item.ts";
import type { CatalogSettings } from "../catalog/settings.ts";
import type { FeedContext } from "./channel.ts";
import { CHANNELS, CHANNEL_FILES, type ChannelFile } from "./registry.ts";

export const FOLDER = new URL("golden/", import.meta.url);

export type GoldenInput = {
  readonly settings?: CatalogSettings;
  readonly asOf?: string;
  readonly complete?: boolean;
  readonly groups: readonly ItemGroup[];
};

export type GoldenFeed = {
  readonly name: string;
  readonly file: ChannelFile;
  readonly text: string;
  readonly asOf: Date;
  /** The ids of the items that the renderer reports as refused. */
  readonly refused: ReadonlySet<string>;
};

/** An item that is in every file, so that a case's rows are never the first of a file. */
const BEFORE_ITEM: Item = {
  id: "BEFORE",
  title: "Before",
  link: "https://shop.example/before",
  price: { amount: "1.00", currency: "USD" },
  availability: "in_stock",
  description: "Comes first.",
  brand: "Before",
  images: ["https://cdn.example/before.jpg"],
};
export const BEFORE: ItemGroup = { groupId: null, isWhole: true, items: [BEFORE_ITEM] };

export function contextOf({ settings = {}, asOf = "2026-11-14T10:00:00.000Z" }: GoldenInput): FeedContext {
  return {
    catalog: { slug: "fjellgarn", name: "Fjellgarn Shop" },
    settings,
    asOf: new Date(asOf),
    snapshotAt: new Date("2026-11-14T09:30:00.000Z"),
  };
}

/** The bytes of a case are the golden ones; only what surrounds them is written here. */
function wholeText(file: ChannelFile, shown: string, input: GoldenInput): string {
  if (input.complete === true) return shown;
  const writer = CHANNELS[file].open(contextOf(input));
  const before = writer.group(BEFORE).text;
  return writer.head() + before + shown + writer.tail();
}

function refusedIn(file: ChannelFile, input: GoldenInput): ReadonlySet<string> {
  const writer = CHANNELS[file].open(contextOf(input));
  const refusals = input.groups.flatMap((group) => writer.group(group).refusals);
  return new Set(refusals.map(({ itemId }) => itemId));
}

function sectionOf(body: string, name: string): string {
  const start = body.indexOf(`--- ${name}\n`) + `--- ${name}\n`.length;
  const end = body.indexOf("\n--- ", start - 1);
  return body.slice(start, end === -1 ? body.length : end + 1);
}

export function goldenFeeds(): GoldenFeed[] {
  return readdirSync(FOLDER).flatMap((path) =>
    readFileSync(new URL(path, FOLDER), "utf8")
      .split(/^=== /m)
      .slice(1)
      .flatMap((body) => {
        const name = body.slice(0, body.indexOf("\n"));
        const input = JSON.parse(sectionOf(body, "input")) as GoldenInput;
        return CHANNEL_FILES.map((file) => ({
          name,
          file,
          text: wholeText(file, sectionOf(body, file), input),
          asOf: contextOf(input).asOf,
          refused: refusedIn(file, input),
        }));
      }),
  );
}
