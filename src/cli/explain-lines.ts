/** The explanation of an item in lines: a block for each field, from the source to the files. */
import { styleText } from "node:util";
import type { ExplainedField, FieldInFile, ItemExplanation } from "../contract/explain.ts";
import { withCamelCase } from "../lib/snake-case.ts";
import type { ServedDifference } from "../contract/items.ts";

type Style = "bold" | "dim" | "yellow";
type Paint = (style: Style, text: string) => string;
type Look = { readonly hasColor: boolean /** Longer values are cut. */; readonly width: number };

export function explainLines(explanation: ItemExplanation, { hasColor, width }: Look): readonly string[] {
  const paint: Paint = (style, text) => (hasColor ? styleText(style, text, { validateStream: false }) : text);
  return [
    `${paint("bold", explanation.title)} (${explanation.item_id})`,
    ...aboutLines(explanation, paint),
    ...explanation.fields.flatMap((field) => fieldLines(field, { paint, width })),
  ];
}

function aboutLines(explanation: ItemExplanation, paint: Paint): readonly string[] {
  const { source, run, ruleSetVersion, isApplied, published, files, notes } = withCamelCase(explanation);
  const from = source === null ? "Pushed" : `From ${source.name} (${source.kind})`;
  const read = run === null ? "" : `, last run ${run.run_id} at ${run.finished_at}`;
  return [
    `${from}${read}.`,
    ...(ruleSetVersion === 0 ? [] : [`Rules: version ${ruleSetVersion}.`]),
    ...(isApplied
      ? []
      : [paint("yellow", "A change of rules or a decision is not applied yet: this is what it will do.")]),
    ...(published?.is_current === false
      ? [
          paint(
            "yellow",
            "The catalog has changed since the files were rendered: they do not have all of this yet.",
          ),
          ...(published.differences ?? []).map(servedLine),
        ]
      : []),
    ...files.flatMap(({ file, included, refusal }) =>
      refusal === null
        ? []
        : [paint("yellow", `${included ? "Will be refused" : "Left out"} (${file}): ${refusal.message}`)],
    ),
    ...notes.map(({ code, message }) => `Warning: ${message} (${code})`),
  ];
}

/** What a served file has, next to what it would have if it were rendered now. */
function servedLine({ file, field, served, catalog, is_served: isServed }: ServedDifference): string {
  if (field === null)
    return isServed === true
      ? `  ${file} has the item; a new file would not.`
      : `  ${file} does not have the item yet.`;
  return `  ${file} ${field}: served ${quotedText(served)}, catalog ${quotedText(catalog)}`;
}

const quotedText = (text: string | null): string =>
  text === null ? "nothing" : JSON.stringify(cut(text, 60));

const NAME_WIDTH = 14;

type Printed = { readonly paint: Paint; readonly width: number };

function fieldLines(field: ExplainedField, { paint, width }: Printed): readonly string[] {
  const line = (name: string, value: string | null, how = ""): string =>
    `  ${name.padEnd(NAME_WIDTH)}${value === null ? paint("dim", "(none)") : cut(value, width)}${how === "" ? "" : paint("dim", `   ${how}`)}`;
  const { source, mapping, rules, approved, channels } = field;
  return [
    "",
    paint("bold", field.field),
    line("source", source.value),
    ...source.notes.map(({ code, message }) => line("warning", message, code)),
    ...(mapping ? [mappingLine(mapping, line)] : []),
    ...rules.map((rule) => ruleLine(rule, line)),
    ...(approved ? [approvedLine(approved, line)] : []),
    ...channels.flatMap(({ channel, value, files }) => [
      ...(value === field.value ? [] : [line(channel, value, "only here")]),
      ...files.flatMap((file) => fileLines(file, line)),
    ]),
  ];
}

type ExplainLine = (name: string, value: string | null, how?: string) => string;

function ruleLine(
  { rule, version, channel, after, refused }: ExplainedField["rules"][number],
  line: ExplainLine,
): string {
  const by = `rule "${rule}", version ${version}${channel === null ? "" : `, for ${channel}`}`;
  return refused === null ? line("rule", after, by) : line("not used", refused, by);
}

function mappingLine(mapping: NonNullable<ExplainedField["mapping"]>, line: ExplainLine): string {
  const none = mapping.after === null ? "no category fits, " : "";
  return line("mapping", mapping.after, `${mapping.path}, ${none}${decided(mapping)}`);
}

function approvedLine(step: NonNullable<ExplainedField["approved"]>, line: ExplainLine): string {
  const by = `${step.extractor} ${step.version}, ${step.state}, ${decided(step)}`;
  return step.refused === null ? line("approved", step.after, by) : line("not used", step.refused, by);
}

type ExplainedDecision = Pick<NonNullable<ExplainedField["approved"]>, "decided_at" | "decided_by">;

function decided({ decided_at: at, decided_by: by }: ExplainedDecision): string {
  const who = by === null ? "by a command" : `by ${by.name ?? by.key_id}`;
  return at === null ? who : `${who} at ${at}`;
}

/** A file with nothing to show has one line, with the reason. */
function fileLines({ file, outcome, message, columns }: FieldInFile, line: ExplainLine): readonly string[] {
  if (outcome !== "written") return outcome === "not_in_file" ? [] : [line(file, null, message)];
  const made = columns.filter(({ form }) => form !== "conditional");
  return (made.length > 0 ? made : columns).map(({ column, text, form, cut_to: cutTo, fields }) => {
    const how = form === "combined" ? `made of ${fields.join(", ")}` : FORMS[form];
    return line(
      file,
      text,
      [column, how, cutTo === null ? "" : `cut to ${cutTo} characters`].filter(Boolean).join(", "),
    );
  });
}

const FORMS: Readonly<Record<FieldInFile["columns"][number]["form"], string>> = {
  as_is: "",
  cut: "",
  mapped: "in another form",
  combined: "",
  conditional: "because of this field",
  default: "from the catalog's settings",
};

function cut(text: string, width: number): string {
  const line = text.replaceAll("\n", " ");
  return line.length <= width ? line : `${line.slice(0, width - 1).toWellFormed()}…`;
}
