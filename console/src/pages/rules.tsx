/** The rules of the catalog: edited as a list, tried, saved as a version. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type {
  RuleFormAnswer,
  RulesAnswer,
  RuleVersionsAnswer,
  SavedRulesAnswer,
} from "../../../src/contract/rule-sets.ts";
import type { Rule } from "../../../src/contract/rules.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { RuleEditor } from "../components/rule-editor.tsx";
import { RuleVersions } from "../components/rule-versions.tsx";
import { Await, Notice, PageHeading } from "../components/ui.tsx";
import { Unpublished, useFeeds } from "../components/unpublished.tsx";
import { rulesText as t } from "../messages/rules.ts";
import { useData } from "../use-data.ts";
import type { StoredRules } from "../use-rule-draft.ts";

type Saved = { readonly version: number; readonly changed: number };

export function RulesPage(): JSX.Element {
  const stored = useData<Wire<typeof RulesAnswer>>("/rules");
  const form = useData<Wire<typeof RuleFormAnswer>>("/rules/form");
  const versions = useData<Wire<typeof RuleVersionsAnswer>>("/rules/versions");
  const [saved, setSaved] = useState<Saved>();
  const [isPublished, setIsPublished] = useState(true);
  const feeds = useFeeds();
  const { fetch } = useThisCatalog();
  /** Throws a conflict if another version than this one is in force. */
  const save = async (rules: readonly Rule[], version: number, note: string) => {
    const body = { rules, version, ...(note !== "" && { note }) };
    const data = await fetch<Wire<typeof SavedRulesAnswer>>("/rules", { method: "PUT", body });
    setSaved({ version: data.version ?? 0, changed: data.applied?.changed_items ?? 0 });
    setIsPublished(false);
    stored.reload();
    versions.reload();
  };
  return (
    <>
      <PageHeading title={t.title} />
      <p class="muted">{t.intro}</p>
      <p role="status" class={saved ? "notice ok" : "visually-hidden"}>
        {saved && t.saved(saved.version, saved.changed)}
      </p>
      <Unpublished
        feeds={feeds}
        what={isPublished ? null : t.unpublished}
        onPublished={() => setIsPublished(true)}
      />
      <Await loaded={stored}>
        {(rules) => (
          <Await loaded={form}>
            {(parts) => (
              <>
                <Problems of={rules} />
                <RuleEditor stored={rules} parts={parts} onSave={save} onReload={stored.reload} />
                <RuleVersions
                  loaded={versions}
                  current={rules.version}
                  onBringBack={async (old, note) => save(old, rules.version, note)}
                />
              </>
            )}
          </Await>
        )}
      </Await>
    </>
  );
}

/** Rules that this version of the program no longer takes, or that a very large product limits; never both. */
function Problems({ of: { problems } }: { readonly of: StoredRules }): JSX.Element | null {
  if (problems.length === 0) return null;
  const isLimited = problems.every(({ code }) => code === "group_too_large");
  return (
    <Notice tone="bad">
      <p>{isLimited ? t.limited : t.refused(problems.length)}</p>
      <ul class="plain-list">
        {problems.map(({ name, message, pointer }) => (
          <li key={pointer}>
            <b>{name}</b>: {message}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
