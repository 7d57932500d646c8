/** The files of a render, group by group: which items of a group a file has, and the columns of each. */
import { FEED_FILES, type FeedFile } from "../../../channels/registry.ts";
import type { FeedFolders } from "../../../files/feed-folders.ts";
import { DamagedFile } from "../../../files/stored-files.ts";
import type { Part, StoredReader } from "../../../files/stored-reader.ts";
import type { IndexedItem, RenderRef } from "../../render/compare-indexes.ts";
import { REFUSALS_FILE, type RefusalLine } from "../../render/refusal-report.ts";
import { membersIn, type Members, type MembersAt } from "../../render/feed-members.ts";
import type { GroupEntry, IndexInfo } from "../../render/render-index.ts";

/** A group, or a part of a large one. */
export type TextPlace = Pick<IndexedItem, "entry" | "offsets">;

export class RenderTexts {
  private readonly readers: readonly StoredReader[];
  private readonly refusals: StoredReader;
  private readonly heads: readonly string[];
  /** The last one: its items follow each other. */
  private part: GroupTexts | undefined;

  private constructor(readers: readonly StoredReader[], refusals: StoredReader, heads: readonly string[]) {
    this.readers = readers;
    this.refusals = refusals;
    this.heads = heads;
  }

  /** Undefined if one of the files is not there. */
  static async open(
    folders: FeedFolders,
    render: RenderRef,
    { heads }: Pick<IndexInfo, "heads">,
  ): Promise<RenderTexts | undefined> {
    const names = [...FEED_FILES, REFUSALS_FILE];
    const opened = await Promise.all(names.map(async (file) => folders.openReader({ ...render, file })));
    const readers = opened.filter((reader) => reader !== undefined);
    const refusals = readers.at(-1);
    if (readers.length < names.length || !refusals) {
      for (const reader of readers) await reader.close();
      return undefined;
    }
    const texts: string[] = [];
    for (const [at, bytes] of heads.entries())
      texts.push((await readers[at]?.read({ start: 0, bytes }))?.toString() ?? "");
    return new RenderTexts(readers.slice(0, -1), refusals, texts);
  }

  /** The texts of the group that an item belongs to. */
  of(place: TextPlace): GroupTexts {
    if (this.part?.place.entry !== place.entry) this.part = new GroupTexts(this, place);
    return this.part;
  }

  async read(file: number, part: Part): Promise<Buffer> {
    return requireReader(this.readers[file]).read(part);
  }

  async readRefusals(part: Part): Promise<Buffer> {
    return this.refusals.read(part);
  }

  head(file: number): string {
    return this.heads[file] ?? "";
  }

  /** Whether a part of one of the files is the same in another render. */
  async isSame(file: number, part: Part, other: RenderTexts, otherPart: Part): Promise<boolean> {
    if (part.bytes !== otherPart.bytes) return false;
    const [own, others] = [requireReader(this.readers[file]), requireReader(other.readers[file])];
    if (own.isShared(part, others, otherPart)) return true;
    return Buffer.compare(await own.read(part), await others.read(otherPart)) === 0;
  }

  async close(): Promise<void> {
    for (const reader of [...this.readers, this.refusals]) await reader.close();
  }
}

function requireReader(reader: StoredReader | undefined): StoredReader {
  if (!reader) throw new DamagedFile("a file of the render is missing");
  return reader;
}

/** Why a file does not have an item, or why its destination will refuse the item. */
export type GroupRefusal = Pick<RefusalLine, "included" | "code" | "field">;

/** The files are named by their place in `FEED_FILES`. */
export class GroupTexts {
  readonly place: TextPlace;
  private readonly texts: RenderTexts;
  /** By file, the places of the items among those that the file has; -1 for those that it does not have. */
  private positions: readonly Int32Array[] | undefined;
  private refusals: RefusalTexts | undefined;
  private readonly members = new Map<number, MembersAt>();

  constructor(texts: RenderTexts, place: TextPlace) {
    this.texts = texts;
    this.place = place;
  }

  /** Whether a file has the same text for this group and for one of another render. */
  async isSame(file: number, other: GroupTexts): Promise<boolean> {
    return this.texts.isSame(file, this.partIn(file), other.texts, other.partIn(file));
  }

  /** Whether a file has the item at a place of the group. */
  async has(file: number, at: number): Promise<boolean> {
    return (await this.positionOf(file, at)) >= 0;
  }

  /** Why a file does not have the item at a place of the group. */
  async leftOutOf(file: number, at: number): Promise<GroupRefusal | undefined> {
    this.refusals ??= await this.readRefusals();
    const refusal = this.refusals.get(fileAt(file))?.get(this.place.entry.ids[at]?.toString() ?? "");
    return refusal?.included === true ? undefined : refusal;
  }

  /** The columns of the item at a place of the group; undefined if the file does not have the item. */
  async membersOf(file: number, at: number): Promise<Members | undefined> {
    const position = await this.positionOf(file, at);
    if (position < 0) return undefined;
    let members = this.members.get(file);
    if (!members) this.members.set(file, (members = await this.parse(file)));
    return members(position);
  }

  private async parse(file: number): Promise<MembersAt> {
    const text = (await this.texts.read(file, this.partIn(file))).toString();
    const written = this.place.entry.files[file]?.written ?? 0;
    return membersIn(fileAt(file), { head: this.texts.head(file), text, written });
  }

  private partIn(file: number): Part {
    const { entry, offsets } = this.place;
    return { start: offsets.files[file] ?? 0, bytes: entry.files[file]?.bytes ?? 0 };
  }

  private async positionOf(file: number, at: number): Promise<number> {
    this.positions ??= await this.findPositions();
    return this.positions[file]?.[at] ?? -1;
  }

  private async findPositions(): Promise<readonly Int32Array[]> {
    const { ids } = this.place.entry;
    const refusals = (this.refusals ??= await this.readRefusals());
    return FEED_FILES.map((file) => {
      const [own, positions] = [refusals.get(file), new Int32Array(ids.length)];
      let next = 0;
      for (const [at, id] of ids.entries())
        positions[at] = own?.get(id.toString())?.included === false ? -1 : next++;
      return positions;
    });
  }

  private async readRefusals(): Promise<RefusalTexts> {
    const { entry, offsets } = this.place;
    const refusals = new Map<string, Map<string, GroupRefusal>>();
    if (entry.refusalBytes === 0) return refusals;
    const part = { start: offsets.refusals, bytes: entry.refusalBytes };
    for (const line of (await this.texts.readRefusals(part)).toString().split("\n")) {
      if (line === "") continue;
      const { file, item_id: id, included, code, field } = JSON.parse(line) as RefusalLine;
      const own = refusals.get(file) ?? new Map<string, GroupRefusal>();
      refusals.set(file, own.set(id, { included, code, field }));
    }
    return refusals;
  }
}

/** By file and by item. */
type RefusalTexts = ReadonlyMap<string, ReadonlyMap<string, GroupRefusal>>;

export function fileAt(file: number): FeedFile {
  const name = FEED_FILES[file];
  if (name === undefined) throw new TypeError("there is no such file");
  return name;
}

/** Whether two groups have the same items, whatever their values. */
export function hasSameIds({ ids }: GroupEntry, other: GroupEntry): boolean {
  return ids.length === other.ids.length && ids.every((id, at) => other.ids[at]?.equals(id) === true);
}
