/** The versions of the rules. Each can be brought back, as a new version. */
import type { JSX } from "preact";
import type { RulesAnswer, RuleVersionsAnswer } from "../../../src/contract/rule-sets.ts";
import type { Rule } from "../../../src/contract/rules.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { formatNumber } from "../format.ts";
import { rulesText } from "../messages/rules.ts";
import type { LoadedData } from "../use-data.ts";
import { DialogButton } from "./buttons.tsx";
import { Table } from "./table.tsx";
import type { TableColumn } from "./table.tsx";
import { Await, Badge, Section, Time } from "./ui.tsx";

const { versions: t } = rulesText;
type Versions = Wire<typeof RuleVersionsAnswer>["data"];
type Version = Versions["versions"][number];

export function RuleVersions({
  loaded,
  current,
  onBringBack,
}: {
  readonly loaded: LoadedData<Versions>;
  readonly current: number;
  readonly onBringBack: (rules: readonly Rule[], note: string) => Promise<void>;
}): JSX.Element {
  const { fetch } = useThisCatalog();
  const bringBack = async (version: number) => {
    const { rules } = await fetch<Wire<typeof RulesAnswer>>(`/rules/versions/${version}`);
    await onBringBack(rules, t.backNote(version));
  };
  return (
    <Section title={t.title}>
      <Await loaded={loaded}>
        {({ versions }) =>
          versions.length === 0 ? (
            <p class="muted">{t.none}</p>
          ) : (
            <>
              <p class="small muted">{t.numbers}</p>
              <Table
                label={t.label}
                rows={versions}
                keyOf={({ version }) => String(version)}
                columns={columnsOf(current, bringBack)}
              />
            </>
          )
        }
      </Await>
    </Section>
  );
}

const columnsOf = (
  current: number,
  bringBack: (version: number) => Promise<void>,
): readonly TableColumn<Version>[] => [
  {
    head: t.version,
    kind: "heading",
    cell: ({ version }) => (
      <>
        {version} {version === current && <Badge tone="ok">{t.current}</Badge>}
      </>
    ),
  },
  { head: t.saved, cell: ({ saved_at: at }) => <Time at={at} /> },
  { head: t.note, kind: "text", cell: ({ note }) => note ?? "" },
  { head: t.rules, kind: "number", cell: ({ rules }) => formatNumber(rules) },
  {
    head: t.bringBack,
    kind: "actions",
    cell: (row) => row.version !== current && <BringBack of={row} act={bringBack} />,
  },
];

function BringBack({
  of: { version },
  act,
}: {
  readonly of: Version;
  readonly act: (version: number) => Promise<void>;
}): JSX.Element {
  return (
    <DialogButton
      label={t.bringBack}
      title={t.bringBackTitle(version)}
      confirm={t.bringBack}
      kind="primary"
      about={`${t.version} ${version}`}
      act={async () => act(version)}
    >
      <p>{t.bringBackText}</p>
    </DialogButton>
  );
}
