/** Compiles the action of a rule: a function from an item to the changed item, or to the reason why it stays as it is. */
import type { RuleAction } from "../../contract/rules.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { type Change, constantChange, type Given } from "./change.ts";
import { copyChange, replaceChange, templateChange } from "./change-text.ts";
import { calculateChange } from "./change-calculate.ts";
import { mapChange } from "./change-map.ts";
import { type MakeId, idTemplate } from "./feed-id.ts";
import { requiredField } from "./field-names.ts";
import type { RuleField } from "./fields.ts";
import { parametersChange } from "./change-links.ts";
import { RuleError } from "./problem.ts";
import { clearValue } from "./write.ts";

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
  copy: {
    parts: ["field", "from"],
    meaning:
      "Sets the field to the value of another one, if that has one. Of several values the first is taken, unless the field has several itself.",
  },
  template: {
    parts: ["field", "text"],
    meaning: "Sets the field to a text made of other fields, if one of them has a value.",
  },
  replace: {
    parts: ["field", "with"],
    optional: ["find", "pattern"],
    meaning:
      "Replaces a text, `find`, or what a regular expression matches, `pattern`, wherever it occurs in the field. Case counts; `(?i)` at the beginning of a pattern ignores it. In `with`, `$1` is the first group of the pattern. An empty `with` removes it.",
  },
  map: {
    parts: ["field", "from", "table"],
    optional: ["otherwise"],
    meaning:
      "Sets the field to the table's entry for the value of `from`, else to `otherwise`, if given. A category path without an entry has that of the closest path above it.",
  },
  calculate: {
    parts: ["field", "formula"],
    meaning: "Sets the field to the result of a formula, if all its fields have a value.",
  },
  clear: { parts: ["field"], meaning: "Removes the value." },
  add_parameters: {
    parts: ["parameters"],
    meaning:
      "Adds query parameters to `link` and `mobile_link`, or replaces them. A value may be a template; one that is empty is left out.",
  },
  exclude: {
    parts: [],
    meaning: "Leaves the item out of the feeds of the rule's channels, with the rule's name as the reason.",
  },
};

type Compiler = (field: RuleField, action: RuleAction, settings: CatalogSettings) => Change;

const COMPILERS: Readonly<Record<Exclude<ActionType, "exclude" | "add_parameters">, Compiler>> = {
  set: (field, { value }, settings) => constantChange(field, value as Given, "/action/value", settings),
  default: (field, { value }, settings) => {
    if (field.isRequired === true)
      throw new RuleError(
        "no_effect",
        "/action/field",
        `Every item has ${field.name}. Use set to replace it.`,
      );
    const change = constantChange(field, value as Given, "/action/value", settings);
    return (item, source) => (field.read(item, source) === undefined ? change(item) : item);
  },
  copy: copyChange,
  template: templateChange,
  replace: replaceChange,
  map: mapChange,
  calculate: calculateChange,
  clear: (field, _, settings) => {
    if (field.isRequired !== true) return clearValue(field, settings);
    const message = `Every item needs ${field.name}; it cannot be cleared.`;
    throw new RuleError("field_not_settable", "/action/field", message);
  },
};

/** `isForAll`: the rule names no channels. */
export function compileAction(
  action: RuleAction,
  settings: CatalogSettings,
  isForAll: boolean,
): CompiledAction {
  checkParts(action);
  const { type, field: name = "", parameters = {} } = action;
  if (type === "exclude") return { type };
  if (type === "add_parameters")
    return { type: "change", field: "link", change: parametersChange(parameters, settings) };
  if (name === "id") return { type: "id", makeId: idTemplate(action, settings, isForAll) };
  const field = settableField(name);
  return {
    type: "change",
    field: field.entryOf ?? field.name,
    change: COMPILERS[type](field, action, settings),
  };
}

function checkParts(action: RuleAction): void {
  const { parts, optional = [] } = ACTIONS[action.type];
  const missing = parts.find((part) => action[part] === undefined);
  if (missing !== undefined) {
    const message = `The action ${action.type} needs ${parts.join(", ")}; ${missing} is missing.`;
    throw new RuleError("missing_part", `/action/${missing}`, message);
  }
  const known: readonly string[] = ["type", ...parts, ...optional];
  const unexpected = Object.keys(action).find((part) => !known.includes(part));
  if (unexpected === undefined) return;
  const message = `The action ${action.type} has no ${unexpected}. It takes ${known.slice(1).join(", ") || "nothing else"}.`;
  throw new RuleError("unexpected_part", `/action/${unexpected}`, message);
}

const NOT_SETTABLE: Readonly<Record<string, string>> = {
  group_id: "Groups come from the source.",
  source: "It says where the item comes from.",
};

const COMPUTED = "It follows from other values.";
const HAS_PARTS = "Only sources and pushes can, because its values have parts.";

function settableField(name: string): RuleField {
  const field = requiredField(name, "/action/field");
  if (field.target !== undefined) return field;
  const reason = NOT_SETTABLE[field.name] ?? (field.kind === "parts" ? HAS_PARTS : COMPUTED);
  throw new RuleError("field_not_settable", "/action/field", `Rules cannot set ${field.name}. ${reason}`);
}
