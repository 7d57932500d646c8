/** The API keys of a catalog: list, create, revoke. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { CreatedKeyAnswer, CurrentKeyAnswer, Key, KeysAnswer } from "../../../src/contract/keys.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { DialogButton } from "../components/buttons.tsx";
import { NewKey } from "../components/new-key.tsx";
import { SecretPanel } from "../components/secret.tsx";
import { Pager, Table } from "../components/table.tsx";
import type { TableColumn } from "../components/table.tsx";
import { Await, Badge, Empty, Facts, Notice, PageHeading, Section, Time } from "../components/ui.tsx";
import type { Tone } from "../components/ui.tsx";
import { keyTexts as t } from "../messages/keys.ts";
import { pathWith, useLocation } from "../router.tsx";
import { useData } from "../use-data.ts";

const STATE_TONES = { live: "ok", expired: "neutral", revoked: "neutral" } as const satisfies Record<
  Key["state"],
  Tone
>;

export function KeysPage(): JSX.Element {
  const catalog = useThisCatalog();
  const { query } = useLocation();
  const mayList = catalog.may("admin");
  const loaded = useData<Wire<typeof KeysAnswer>>(
    mayList ? pathWith("/keys", { cursor: query.get("cursor") }) : null,
  );
  const [created, setCreated] = useState<Wire<typeof CreatedKeyAnswer>["data"]>();
  return (
    <>
      <PageHeading title={t.title}>
        <NewKey
          onCreated={(key) => {
            setCreated(key);
            loaded.reload();
          }}
        />
      </PageHeading>
      <p class="muted">{t.intro}</p>
      {created && <SecretPanel key={created.id} {...t.secret} secret={created.secret} />}
      {mayList ? (
        <Await loaded={loaded}>
          {({ keys, next_cursor: next }) => <KeyList keys={keys} next={next} onRevoked={loaded.reload} />}
        </Await>
      ) : (
        <>
          <OwnKey />
          <Notice tone="neutral">{t.needsAdmin(catalog.slug)}</Notice>
        </>
      )}
    </>
  );
}

function KeyList({
  keys,
  next,
  onRevoked,
}: {
  readonly keys: readonly Key[];
  readonly next: string | null;
  readonly onRevoked: () => void;
}): JSX.Element {
  const { query } = useLocation();
  // On a page of several, another admin key may be on another page; the API refuses the last one in any case.
  const admins = keys.filter(({ state, scopes }) => state === "live" && scopes.includes("admin"));
  const isWhole = next === null && !query.has("cursor");
  const lastAdmin = isWhole && admins.length === 1 ? admins[0]?.id : undefined;
  if (keys.length === 0)
    return (
      <Empty>
        <p>{t.empty}</p>
      </Empty>
    );
  return (
    <>
      <Table
        label={t.tableLabel}
        rows={keys}
        columns={[
          ...COLUMNS,
          {
            head: t.columns.actions,
            kind: "actions",
            cell: (key) =>
              key.state === "live" && (
                <RevokeButton
                  key={key.id}
                  of={key}
                  isLastAdmin={key.id === lastAdmin}
                  onRevoked={onRevoked}
                />
              ),
          },
        ]}
        keyOf={({ id }) => id}
      />
      <Pager next={next} />
    </>
  );
}

const COLUMNS: readonly TableColumn<Key>[] = [
  {
    head: t.columns.name,
    kind: "heading",
    cell: ({ name, key, is_current: isCurrent }) => (
      <>
        <span class="url">{name}</span> {isCurrent && <Badge tone="neutral">{t.own}</Badge>}
        <div class="small muted">
          <code>{key}</code>
        </div>
      </>
    ),
  },
  { head: t.columns.state, cell: ({ state }) => <KeyState state={state} /> },
  { head: t.columns.scopes, cell: ({ scopes }) => scopes.join(", ") },
  { head: t.columns.lastUsed, cell: ({ last_used_at: at }) => <Time at={at} /> },
  { head: t.columns.expires, cell: ({ expires_at: at }) => <Time at={at} /> },
  { head: t.columns.created, cell: ({ created_at: at }) => <Time at={at} /> },
];

function KeyState({ state }: { readonly state: Key["state"] }): JSX.Element {
  return <Badge tone={STATE_TONES[state]}>{t.states[state]}</Badge>;
}

function RevokeButton({
  of: { id, name, is_current: isCurrent },
  isLastAdmin,
  onRevoked,
}: {
  readonly of: Key;
  readonly isLastAdmin: boolean;
  readonly onRevoked: () => void;
}): JSX.Element {
  const catalog = useThisCatalog();
  const revoke = async (entered: FormData) => {
    const body = { id, allow_last_admin: entered.has("allow") };
    await catalog.call("/keys", { method: "DELETE", body });
    onRevoked();
  };
  return (
    <DialogButton
      label={t.revoke.label}
      about={name}
      title={t.revoke.title(name)}
      confirm={t.revoke.confirm}
      scope="admin"
      act={revoke}
    >
      <p>{t.revoke.text}</p>
      {isCurrent && (
        <p>
          <strong>{t.revoke.own}</strong>
        </p>
      )}
      {isLastAdmin && (
        <>
          <p>{t.revoke.lastAdmin}</p>
          <label class="check">
            <input type="checkbox" name="allow" />
            {t.revoke.allowLastAdmin}
          </label>
        </>
      )}
    </DialogButton>
  );
}

/** What a key without `admin` may know: itself. */
function OwnKey(): JSX.Element {
  const loaded = useData<Wire<typeof CurrentKeyAnswer>>("/keys/current");
  return (
    <Section title={t.ownKey}>
      <Await loaded={loaded}>
        {({ name, key, scopes, state, last_used_at: lastUsed, expires_at: expires }) => (
          <Facts
            entries={[
              [t.columns.name, name],
              [t.columns.key, <code>{key}</code>],
              [t.columns.state, <KeyState state={state} />],
              [t.columns.scopes, scopes.join(", ")],
              [t.columns.lastUsed, <Time at={lastUsed} />],
              [t.columns.expires, <Time at={expires} />],
            ]}
          />
        )}
      </Await>
    </Section>
  );
}
