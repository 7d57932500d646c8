/** The history of each value of an item: source, rules, approved value, and the text in each feed. */
import type { JSX } from "preact";
import type { ExplainAnswer, ExplainedField, FieldInFile } from "../../../src/contract/explain.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { explainText as t } from "../messages/explain.ts";
import { fieldName } from "../messages/proposals.ts";
import { rulesText } from "../messages/rules.ts";
import { navigate, useLocation, withQuery } from "../router.tsx";
import { useData } from "../use-data.ts";
import { itemHref } from "./item-link.tsx";
import { LongText } from "./long-text.tsx";
import { Table } from "./table.tsx";
import type { TableColumn } from "./table.tsx";
import { Await, Badge, Section, Time } from "./ui.tsx";

/** The call of the API. An address cannot have "." or ".." as a part of its path. */
function explainPath(id: string): string {
  const path = itemHref(id);
  return path.startsWith("/item?") ? path.replace("/item?", "/item/explain?") : `${path}/explain`;
}

/** Or was not taken as the source has it: a note says what was dropped. */
const isChanged = ({ source, rules, approved, mapping, channels }: ExplainedField): boolean =>
  source.notes.length > 0 ||
  rules.length > 0 ||
  approved !== null ||
  mapping !== null ||
  channels.some(({ files }) => files.some(({ columns }) => columns.some(({ form }) => form === "cut")));

export function Explain({ id }: { readonly id: string }): JSX.Element {
  const loaded = useData<Wire<typeof ExplainAnswer>>(explainPath(id));
  const location = useLocation();
  const isShort = location.query.get("values") !== "all";
  const setIsShort = (isNow: boolean) =>
    navigate(withQuery(location, { values: isNow ? undefined : "all" }), { isReplaced: true });
  return (
    <Section title={t.title}>
      <p class="muted">{t.intro}</p>
      <label class="check">
        <input
          type="checkbox"
          checked={isShort}
          onChange={(event) => setIsShort(event.currentTarget.checked)}
        />
        <span>{t.changedOnly}</span>
      </label>
      <Await loaded={loaded}>
        {({ fields, notes, is_applied: isApplied, published }) => (
          <>
            {notes.map(({ code, message }) => (
              <p key={code + message} class="small">
                {t.note} {message}
              </p>
            ))}
            {!isApplied && <p role="status">{t.waiting}</p>}
            {published?.is_current === false && <p class="small muted">{t.unpublished}</p>}
            <Fields of={isShort ? fields.filter(isChanged) : fields} />
          </>
        )}
      </Await>
    </Section>
  );
}

function Fields({ of: fields }: { readonly of: readonly ExplainedField[] }): JSX.Element {
  if (fields.length === 0) return <p>{t.nothingChanged}</p>;
  return (
    <div class="explained">
      <Table label={t.label} rows={fields} keyOf={({ field }) => field} columns={COLUMNS} />
    </div>
  );
}

const Value = ({ of: value }: { readonly of: string | null }): JSX.Element =>
  value === null ? <span class="muted">{t.none}</span> : <LongText text={value} />;

const COLUMNS: readonly TableColumn<ExplainedField>[] = [
  { head: t.field, kind: "heading", cell: ({ field }) => fieldName(field) },
  {
    head: t.source,
    cell: ({ source: { value, notes } }) => (
      <>
        <Value of={value} />
        {notes.map(({ code, message }) => (
          <p key={code + message} class="small muted">
            {t.note} {message}
          </p>
        ))}
      </>
    ),
  },
  { head: t.rules, cell: (field) => <RuleSteps of={field} /> },
  { head: t.approved, cell: (field) => <ApprovedStep of={field} /> },
  { head: t.feeds, kind: "text", cell: (field) => <InFeeds of={field} /> },
];

const Refused = ({ why }: { readonly why: string | null }): JSX.Element | null =>
  why === null ? null : (
    <span class="small">
      {t.refused} {why}
    </span>
  );

type RuleStep = ExplainedField["rules"][number];

/** A rule that does the same for several channels, or for all, is one step. */
function stepsOf(rules: readonly RuleStep[]) {
  const same = ({ rule, after, refused }: RuleStep): string => JSON.stringify([rule, after, refused]);
  return [...Map.groupBy(rules, same).values()].map((steps) => ({
    ...(steps[0] as RuleStep),
    channels: steps.some(({ channel }) => channel === null)
      ? []
      : steps.flatMap(({ channel }) => channel ?? []),
  }));
}

function RuleSteps({ of: { rules, mapping } }: { readonly of: ExplainedField }): JSX.Element {
  if (rules.length === 0 && mapping === null) return <span class="muted">{t.unchanged}</span>;
  return (
    <ul class="steps">
      {mapping && (
        <li>
          {mapping.after === null ? t.noCategory : <Value of={mapping.after} />}
          <span class="small muted"> {t.mapping(mapping.path)}</span>
        </li>
      )}
      {stepsOf(rules).map(({ rule, version, channels, after, refused }) => (
        <li key={`${rule} ${channels.join(" ")}`}>
          {refused === null && (after === null ? t.cleared : <Value of={after} />)}
          <Refused why={refused} />
          <span class="small muted">
            {" "}
            {t.rule(rule, version)}
            {channels.length > 0 && (
              <> · {t.onlyFor(channels.map((channel) => rulesText.channel[channel]).join(", "))}</>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

function ApprovedStep({ of: { approved } }: { readonly of: ExplainedField }): JSX.Element {
  if (!approved) return <span class="muted">{t.unchanged}</span>;
  const { after, refused, extractor, decided_at: at, decided_by: by, state } = approved;
  const who = by === null ? t.command : by.name === null ? t.removedKey : t.by(by.name);
  return (
    <>
      {refused === null && <Value of={after} />} <Refused why={refused} />
      <p class="small muted">
        {t.proposal(extractor)}, {who}
        {at !== null && (
          <>
            {" "}
            <Time at={at} />
          </>
        )}
      </p>
      {approved.is_generated && <Badge tone="attention">{t.generated}</Badge>}
      {state === "conflicted" && <Badge tone="attention">{t.conflicted}</Badge>}
    </>
  );
}

/** Files with the same text are named together. */
function InFeeds({ of: { channels } }: { readonly of: ExplainedField }): JSX.Element {
  const byText = new Map<string, { readonly files: string[]; readonly file: FieldInFile }>();
  for (const { files } of channels)
    for (const file of files) {
      if (file.outcome === "not_in_file" || file.outcome === "no_value") continue;
      const key = file.columns.map(({ text, form }) => `${form} ${text}`).join("\n") + file.outcome;
      const known = byText.get(key);
      if (known) known.files.push(file.file);
      else byText.set(key, { files: [file.file], file });
    }
  return (
    <ul class="steps">
      {[...byText].map(([key, { files, file }]) => (
        <li key={key}>
          <span class="small muted">{files.join(", ")}: </span>
          {file.outcome === "written" ? <Columns of={file} /> : t.outcomes[file.outcome]}
        </li>
      ))}
    </ul>
  );
}

const Columns = ({ of: { columns } }: { readonly of: FieldInFile }): JSX.Element => (
  <>
    {columns.map(({ column, text, form, cut_to: cut }) => (
      <span key={column} class="feed-column">
        {columns.length > 1 && <code class="small muted">{column} </code>}
        <LongText text={text} />
        {cut !== null ? (
          <Badge tone="attention">{t.cut(cut)}</Badge>
        ) : (
          t.forms[form] !== undefined && <span class="small muted"> {t.forms[form]}</span>
        )}
      </span>
    ))}
  </>
);
