/** The limits of the publish guard, as a form. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { PublishGuardAnswer } from "../../../src/contract/publish-guard.ts";
import { useThisCatalog } from "../catalog.ts";
import { formatNumber } from "../format.ts";
import { guardTexts as t, renderTexts } from "../messages/renders.ts";
import { publicationChanged } from "../publication.ts";
import { useAction, useData } from "../use-data.ts";
import { Button } from "./buttons.tsx";
import { TextField } from "./fields.tsx";
import { enteredText, Form } from "./form.tsx";
import { Await, Section } from "./ui.tsx";

type Guard = PublishGuardAnswer["data"];
type Limit = Guard["limits"][number];

export function PublishGuard(): JSX.Element {
  const loaded = useData<PublishGuardAnswer>("/publish-guard");
  return (
    <Section title={t.title}>
      <p class="muted">{t.intro}</p>
      <Await loaded={loaded}>{(guard) => <GuardForm loaded={guard} />}</Await>
    </Section>
  );
}

function GuardForm({ loaded }: { readonly loaded: Guard }): JSX.Element {
  const catalog = useThisCatalog();
  const [guard, setGuard] = useState(loaded);
  const [saved, setSaved] = useState<string>();
  const { run, isWorking, problem } = useAction(async (form: FormData) => {
    setSaved(undefined);
    const body = changesOf(form, guard);
    if (Object.keys(body).length === 0) return setSaved(t.unchanged);
    setGuard(await catalog.fetch<PublishGuardAnswer>("/publish-guard", { method: "PATCH", body }));
    setSaved(t.saved);
    publicationChanged();
  });
  return (
    <Form
      class="settings guard"
      scope="admin"
      hasNativeChecks
      problem={problem}
      onInput={() => setSaved(undefined)}
      onSubmit={(entered) => void run(entered)}
      fields={
        <>
          <label class="check">
            <input type="checkbox" name="enabled" defaultChecked={guard.enabled} />
            <span>{t.enabled}</span>
          </label>
          <label class="check">
            <input type="checkbox" name="plain_calls" defaultChecked={guard.plain_calls === "hold"} />
            <span>{t.plainCalls}</span>
          </label>
          <HostsField hosts={guard.expected_hosts} />
          <div class="guard-limits">
            {guard.limits.map((limit) => (
              <LimitField key={limit.signal} limit={limit} />
            ))}
          </div>
        </>
      }
    >
      <div class="buttons">
        <Button scope="admin" kind="primary" type="submit" isWorking={isWorking}>
          {t.save}
        </Button>
        <span role="status">{saved}</span>
      </div>
    </Form>
  );
}

const HostsField = ({ hosts }: { readonly hosts: readonly string[] }): JSX.Element => (
  <TextField
    label={t.expectedHosts}
    help={t.expectedHostsHelp}
    pointer="/expected_hosts"
    name="expected_hosts"
    defaultValue={hosts.join(", ")}
  />
);

/** Shares are entered in percent. */
const scaleOf = ({ unit }: Limit): number => (unit === "share" ? 100 : 1);
const shown = (limit: Limit, value: number): number => Number((value * scaleOf(limit)).toPrecision(6));

function LimitField({ limit }: { readonly limit: Limit }): JSX.Element {
  const { signal: name, unit, description, limit: max, default: preset, min_items: least } = limit;
  const title = renderTexts.limits[name] ?? name;
  return (
    <TextField
      label={unit === "share" ? t.percent(title) : t.factor(title)}
      help={t.help(description, t.preset[unit](formatNumber(shown(limit, preset))), t.items(least))}
      pointer={`/limits/${name}`}
      name={name}
      type="number"
      class="short"
      min={unit === "share" ? 0 : 1}
      step="any"
      defaultValue={max === null ? "" : String(shown(limit, max))}
    />
  );
}

/** Only what was changed. An empty field switches the limit off; the default value is not stored. */
function changesOf(form: FormData, guard: Guard) {
  const enabled = form.has("enabled");
  const plainCalls = form.has("plain_calls") ? "hold" : "publish";
  const limits = guard.limits.flatMap((limit) => {
    const text = enteredText(form, limit.signal);
    const before = limit.limit === null ? "" : String(shown(limit, limit.limit));
    if (text === before) return [];
    const value = Number(text) / scaleOf(limit);
    return [[limit.signal, text === "" ? "off" : value === limit.default ? null : value] as const];
  });
  const hosts = enteredText(form, "expected_hosts")
    .toLowerCase()
    .split(",")
    .map((host) => host.trim())
    .filter((host) => host !== "");
  return {
    ...(hosts.join() !== guard.expected_hosts.join() && { expected_hosts: hosts }),
    ...(enabled !== guard.enabled && { enabled }),
    ...(plainCalls !== guard.plain_calls && { plain_calls: plainCalls }),
    ...(limits.length > 0 && { limits: Object.fromEntries(limits) }),
  };
}
