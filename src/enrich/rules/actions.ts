/** Compiles the action of a rule: a function from an item to the changed item, or to the reason why it stays as it is. */
import type { RuleAction } from "../../contract/rules.ts";
import type { Item } from "../../catalog/item.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { readValue } from "../../catalog/read-value.ts";
import { constantWrite, type Scalar, scalarText } from "./constants.ts";
import { fieldNamed, unknownField } from "./field-names.ts";
import type { FieldText, RuleField, RuleSource } from "./fields.ts";
import { fold } from "./fold.ts";
import { withParameters } from "./links.ts";
import { TEXT_KINDS } from "./operators.ts";
import { RuleError } from "./problem.ts";
import { compileTemplate } from "./template.ts";
import { clearValue, isRefusal, setValue, type Texts, type Write, type Written } from "./write.ts";

export type Change = (item: Item, source: RuleSource) => Written;
/** The id that the item gets in the feeds. */
export type MakeId = (
  item: Item,
  source: RuleSource,
) => { readonly id: string } | { readonly refused: string };

export type CompiledAction =
  | { readonly type: "change"; readonly field: string; readonly change: Change }
  | { readonly type: "id"; readonly makeId: MakeId }
  | { readonly type: "exclude" };

type ActionType = RuleAction["type"];
type PartName = Exclude<keyof RuleAction, "type">;

type ActionEntry = {
  readonly parts: readonly PartName[];
  readonly optional?: readonly PartName[];
  /** For docs/rules.md. */
  readonly meaning: string;
};

export const ACTIONS: Readonly<Record<ActionType, ActionEntry>> = {
  set: { parts: ["field", "value"], meaning: "Sets the field." },
  default: { parts: ["field", "value"], meaning: "Sets the field of items that have no value." },
  copy: { parts: ["field", "from"], meaning: "Sets the field to the value of another one, if that has one." },
  template: { parts: ["field", "text"], meaning: "Sets the field to a text made of other fields." },
  replace: {
    parts: ["field", "find", "with"],
    meaning: "Replaces a text in the field, wherever it occurs, in this case.",
  },
  map: {
    parts: ["field", "from", "table"],
    optional: ["otherwise"],
    meaning:
      "Looks up the value of `from` in the table and sets the field to what it says there; else to `otherwise`, if given. A category path without an entry has that of the closest path above it.",
  },
  clear: { parts: ["field"], meaning: "Removes the value." },
  add_parameters: {
    parts: ["parameters"],
    meaning:
      "Adds query parameters to `link` and `mobile_link`, or replaces them. A value may be a template.",
  },
  exclude: { parts: [], meaning: "Leaves the item out of the feeds, with the rule's name as the reason." },
};

const AT = "/action";

/** The parts as text where they may be missing: `checkParts` has checked that they are there. */
export function compileAction(
  action: RuleAction,
  settings: CatalogSettings,
  isForAll: boolean,
): CompiledAction {
  checkParts(action);
  if (action.type === "exclude") return { type: "exclude" };
  if (action.type === "add_parameters")
    return { type: "change", field: "link", change: parametersChange(action.parameters ?? {}, settings) };
  const name = action.field ?? "";
  if (name === "id") return { type: "id", makeId: idTemplate(action, settings, isForAll) };
  const field = settableField(name);
  return { type: "change", field: field.name, change: COMPILERS[action.type](field, action, settings) };
}

function checkParts(action: RuleAction): void {
  const { parts, optional = [] } = ACTIONS[action.type];
  const missing = parts.find((part) => action[part] === undefined);
  if (missing !== undefined)
    throw new RuleError(
      "missing_part",
      `${AT}/${missing}`,
      `The action ${action.type} needs ${parts.join(", ")}; ${missing} is missing.`,
    );
  const needless = Object.keys(action).find(
    (part) => part !== "type" && ![...parts, ...optional].includes(part as PartName),
  );
  if (needless === undefined) return;
  const takes = parts.length === 0 ? "nothing else" : [...parts, ...optional].join(", ");
  throw new RuleError(
    "needless_part",
    `${AT}/${needless}`,
    `The action ${action.type} has no ${needless}. It takes ${takes}.`,
  );
}

function readField(name: string, part: "field" | "from"): RuleField {
  const field = fieldNamed(name);
  if (field === undefined) throw new RuleError("unknown_field", `${AT}/${part}`, unknownField(name));
  return field;
}

const NOT_SETTABLE: Readonly<Record<string, string>> = {
  group_id: "Groups come from the source and cannot be changed by rules.",
  source: "It says where the item comes from.",
};

function settableField(name: string): RuleField {
  const field = readField(name, "field");
  if (field.target !== undefined) return field;
  const reason =
    NOT_SETTABLE[field.name] ??
    (field.kind === "parts"
      ? "Its values have parts, which only sources state."
      : "Set options and details in the source.");
  throw new RuleError("field_not_settable", `${AT}/field`, `Rules cannot set ${field.name}. ${reason}`);
}

type Compiler = (field: RuleField, action: RuleAction, settings: CatalogSettings) => Change;

const COMPILERS: Readonly<Record<Exclude<ActionType, "exclude" | "add_parameters">, Compiler>> = {
  set: (field, { value }, settings) => constant(field, value ?? "", "value", settings),
  default: (field, { value }, settings) => {
    const change = constant(field, value ?? "", "value", settings);
    return (item, source) => (field.read(item, source) === undefined ? change(item) : item);
  },
  copy: (field, { from = "" }, settings) => {
    const source = readField(from, "from");
    if (source.name === field.name)
      throw new RuleError("no_effect", `${AT}/from`, `${field.name} is copied to itself.`);
    return (item, origin) => withTexts(field, source.read(item, origin), settings)(item);
  },
  template: (field, { text = "" }, settings) => {
    const template = compileTemplate(text, `${AT}/text`);
    if (template.fieldCount === 0)
      throw new RuleError(
        "invalid_template",
        `${AT}/text`,
        "The template has no field, such as {title}. Use the action set for a fixed text.",
      );
    return (item, source) => withTexts(field, template.render(item, source) || undefined, settings)(item);
  },
  replace: replaceChange,
  map: mapChange,
  clear: (field, _, settings) => {
    if (field.isRequired === true)
      throw new RuleError(
        "field_not_settable",
        `${AT}/field`,
        `Every item needs ${field.name}; it cannot be cleared.`,
      );
    return clearValue(field, settings);
  },
};

type Given = Scalar | readonly Scalar[];

function constant(field: RuleField, value: Given, part: string, settings: CatalogSettings): Write {
  const isList = field.kind === "list" || field.kind === "paths";
  if (Array.isArray(value) && !isList)
    throw new RuleError("invalid_value", `${AT}/${part}`, `${field.name} has one value, not a list.`);
  const texts = Array.isArray(value)
    ? (value as readonly Scalar[]).map(scalarText)
    : scalarText(value as Scalar);
  if (texts.length === 0)
    throw new RuleError(
      "invalid_value",
      `${AT}/${part}`,
      `The value is empty. Use the action clear to remove ${field.name}.`,
    );
  const write = constantWrite(field, texts, settings);
  if (isRefusal(write)) throw new RuleError("invalid_value", `${AT}/${part}`, write.refused);
  return write;
}

/** Texts of items are plain; where a field removes markup, what looks like markup is escaped first. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/** Longer than any field; no rule makes a text of more. */
const LONGEST_TEXT = 100_000;

/** Sets the field to texts that come from the item; without one the item stays as it is. */
function withTexts(field: RuleField, texts: FieldText, settings: CatalogSettings): Write {
  return (item) => {
    if (texts === undefined) return item;
    if (texts.length > LONGEST_TEXT) return { refused: `The text for ${field.name} is too long.` };
    const list = typeof texts === "string" ? [texts] : texts;
    const plain = field.isProse === true ? list.map(escaped) : list;
    const isList = field.kind === "list" || field.kind === "paths";
    const given: Texts = isList ? plain : plain.join(", ");
    return setValue(field, given, settings)(item);
  };
}

function replaceChange(
  field: RuleField,
  { find = "", with: replacement = "" }: RuleAction,
  settings: CatalogSettings,
): Change {
  if (!TEXT_KINDS.has(field.kind))
    throw new RuleError(
      "field_not_settable",
      `${AT}/field`,
      `replace works on texts, and ${field.name} is none. Use set or map.`,
    );
  if (find === "")
    throw new RuleError("invalid_value", `${AT}/find`, "find is empty. Name the text to be replaced.");
  if (find === replacement)
    throw new RuleError("no_effect", `${AT}/with`, "find and with are the same text.");
  const clear = field.isRequired === true ? undefined : clearValue(field, settings);
  return (item, source) => {
    const read = field.read(item, source);
    if (read === undefined) return item;
    const texts = typeof read === "string" ? [read] : read;
    if (!texts.some((text) => text.includes(find))) return item;
    const parts = texts.map((text) => text.split(find));
    const added = parts.reduce((sum, { length }) => sum + (length - 1) * replacement.length, 0);
    if (added > LONGEST_TEXT) return { refused: `The text for ${field.name} is too long.` };
    const replaced = parts.map((part) => part.join(replacement)).filter((text) => text.trim() !== "");
    if (replaced.length === 0 && clear !== undefined) return clear(item);
    const result = typeof read === "string" ? replaced.join("") : replaced;
    return withTexts(field, result, settings)(item);
  };
}

function mapChange(
  field: RuleField,
  { from = "", table = {}, otherwise }: RuleAction,
  settings: CatalogSettings,
): Change {
  const read = readField(from, "from");
  const entries = Object.entries(table);
  if (entries.length === 0 && otherwise === undefined)
    throw new RuleError("no_effect", `${AT}/table`, "The table is empty. Add entries.");
  const writes = new Map<string, Write>();
  for (const [key, value] of entries) {
    const part = `table/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    writes.set(tableKey(read, key), constant(field, value, part, settings));
  }
  const fallback = otherwise === undefined ? undefined : constant(field, otherwise, "otherwise", settings);
  return (item, source) => {
    const text = read.read(item, source);
    const texts = text === undefined ? [] : typeof text === "string" ? [text] : text;
    for (const each of texts) {
      const write = entryOf(writes, each.toLowerCase(), read.kind === "paths");
      if (write !== undefined) return write(item);
    }
    return fallback === undefined ? item : fallback(item);
  };
}

function tableKey({ kind }: RuleField, key: string): string {
  const folded = fold(key);
  return kind === "paths"
    ? folded
        .split(">")
        .map((level) => level.trim())
        .filter((level) => level !== "")
        .join(" > ")
    : folded;
}

function entryOf(writes: ReadonlyMap<string, Write>, key: string, isPath: boolean): Write | undefined {
  const exact = writes.get(key);
  if (exact !== undefined || !isPath) return exact;
  for (let end = key.lastIndexOf(" > "); end > 0; end = key.lastIndexOf(" > ", end - 1)) {
    const above = writes.get(key.slice(0, end));
    if (above !== undefined) return above;
  }
  return undefined;
}

/** As shops write them; anything else is likely a mistake. */
const PARAMETER = /^[\w.~-]{1,100}$/;

function parametersChange(parameters: Readonly<Record<string, string>>, settings: CatalogSettings): Change {
  const templates = Object.entries(parameters).map(([name, text]) => {
    const pointer = `${AT}/parameters/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (!PARAMETER.test(name))
      throw new RuleError(
        "invalid_value",
        pointer,
        `A parameter's name has letters, digits and _ . ~ - only, such as utm_source.`,
      );
    if (text.trim() === "")
      throw new RuleError("invalid_value", pointer, `The parameter ${name} has no value.`);
    return [name, compileTemplate(text, pointer)] as const;
  });
  const links = [readField("link", "field"), readField("mobile_link", "field")];
  return (item, source) => {
    const values = new Map(
      templates
        .map(([name, { render }]) => [name, render(item, source)] as const)
        .filter(([, value]) => value !== ""),
    );
    let changed = item;
    for (const field of links) {
      const url = field.read(changed, source);
      if (typeof url !== "string") continue;
      const written = setValue(field, withParameters(url, values), settings)(changed);
      if (isRefusal(written)) return written;
      changed = written;
    }
    return changed;
  };
}

function idTemplate(action: RuleAction, settings: CatalogSettings, isForAll: boolean): MakeId {
  const refuse = (message: string): never => {
    throw new RuleError("field_not_settable", `${AT}/field`, message);
  };
  if (action.type !== "template")
    return refuse("The id can only be set by a template that contains {id}, so that ids stay different.");
  if (!isForAll) return refuse("The id is the same in all feeds. Remove channel from the rule.");
  const template = compileTemplate(action.text ?? "", `${AT}/text`);
  if (!template.plainFields.has("id"))
    throw new RuleError(
      "invalid_template",
      `${AT}/text`,
      "The template of an id must contain {id}, without a filter, so that ids stay different.",
    );
  return (item, source) => {
    const draft = { id: template.render(item, source) };
    const { value, problems } = readValue("id", draft, { position: 1, settings, item });
    return value === undefined ? { refused: problems[0]?.message ?? "" } : { id: value };
  };
}
