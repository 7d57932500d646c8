/** Compares the items of a group with each other: attributes, links, images, titles; and with the ids of the file. */
import { type GroupFault, GroupTracker } from "../../kit/validate/groups.ts";
import { MAX_GROUP_ROWS } from "../../kit/validate/limits.ts";
import type { CheckedRow } from "../../kit/validate/row.ts";
import type { GoogleRule, GoogleFindings } from "./rules.ts";

const FIELD = "item_group_id";

/** The attributes that distinguish variants, besides their options. */
const VARYING = ["color", "size", "material", "pattern", "age_group", "gender"] as const;

const GROUP_RULES: Readonly<Record<GroupFault["kind"], readonly [GoogleRule, string]>> = {
  "other names": ["gmc.group.attrs", "The item states other attributes than the group's item on line"],
  "same combination": ["gmc.group.duplicate", "The item has the same options as the group's item on line"],
  "came up before": ["gmc.group.scattered", "The group's other items are elsewhere, the first on line"],
};

type GroupValues = {
  readonly groupId: string;
  readonly links: Map<string, number>;
  /** Each image, the color it showed first, and where. */
  readonly images: Map<string, { readonly color: string; readonly line: number }>;
  title: string | undefined;
};

export class GoogleGroups {
  private readonly findings: GoogleFindings;
  private readonly lineOfId: (id: string) => number | undefined;
  private readonly tracker = new GroupTracker();
  private shared: GroupValues | null = null;

  constructor(findings: GoogleFindings, lineOfId: (id: string) => number | undefined) {
    this.findings = findings;
    this.lineOfId = lineOfId;
  }

  add(row: CheckedRow): void {
    this.checkParent(row);
    const groupId = row.text(FIELD);
    if (groupId === undefined) {
      this.tracker.close();
      if (row.has("variant_option")) this.findings.add("gmc.group.missing", { field: FIELD });
      return;
    }
    this.compare(row, groupId);
    if (this.shared?.groupId !== groupId)
      this.shared = { groupId, links: new Map(), images: new Map(), title: row.text("item_group_title") };
    this.checkLink(row, this.shared);
    this.checkImage(row, this.shared);
    this.checkTitle(row, this.shared);
  }

  end(): void {
    for (const { line, itemId, groupId } of this.tracker.end())
      this.findings.addAt({ line, itemId }, "gmc.group.single", { field: FIELD, value: groupId });
  }

  private checkParent(row: CheckedRow): void {
    const id = row.text("id");
    const groupId = row.text(FIELD);
    const group = id === undefined ? undefined : this.tracker.lineOf(id);
    const add = (field: string, value: string | undefined, detail: string) =>
      this.findings.add("gmc.group.parentrow", { field, value, detail });
    if (id !== undefined && id === groupId) add("id", id, "The item's id is the id of its own group.");
    else if (group !== undefined) add("id", id, `The id is the id of the group on line ${group}.`);
    else if (groupId !== undefined && this.lineOfId(groupId) !== undefined)
      add(FIELD, groupId, `The group id is the id of the item on line ${this.lineOfId(groupId)}.`);
  }

  private compare(row: CheckedRow, groupId: string): void {
    const stated = VARYING.flatMap((name) => {
      const value = row.text(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    const options = row
      .groups("variant_option")
      .map((option) => [option.get("name") ?? "", option.get("value") ?? ""] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    const all = [...stated, ...options];
    const names = JSON.stringify(all.map(([name]) => name));
    const combination = all.length === 0 ? "" : JSON.stringify(all);
    const itemId = row.text("id") ?? null;
    for (const { kind, since } of this.tracker.add({ groupId, line: row.line, itemId, names, combination })) {
      const [rule, sentence] = GROUP_RULES[kind];
      this.findings.add(rule, { field: FIELD, value: groupId, detail: `${sentence} ${since}.` });
    }
  }

  private checkLink(row: CheckedRow, { links }: GroupValues): void {
    const value = row.text("link");
    if (value === undefined) return;
    const first = links.get(value);
    const detail = `The group's item on line ${first} has the same link.`;
    if (first !== undefined) this.findings.add("gmc.link.shared", { field: "link", value, detail });
    else if (links.size < MAX_GROUP_ROWS) links.set(value, row.line);
  }

  private checkImage(row: CheckedRow, { images }: GroupValues): void {
    const value = row.text("image_link");
    const color = row.text("color");
    if (value === undefined || color === undefined) return;
    const first = images.get(value);
    if (first === undefined) {
      if (images.size < MAX_GROUP_ROWS) images.set(value, { color, line: row.line });
    } else if (first.color !== color) {
      const detail = `The image shows the item in ${first.color} on line ${first.line}.`;
      this.findings.add("gmc.image.samecolor", { field: "image_link", value, detail });
    }
  }

  private checkTitle(row: CheckedRow, { title }: GroupValues): void {
    const value = row.text("item_group_title");
    if (value !== title) this.findings.add("gmc.group.title", { field: "item_group_title", value });
  }
}
