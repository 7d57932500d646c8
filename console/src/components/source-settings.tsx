/** Changing a saved source: its settings with a test, its schedule, and removing it. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ChangedSource, RemovedSourceAnswer, Source } from "../../../src/contract/sources.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { formatInterval } from "../format.ts";
import { setupText } from "../messages/setup.ts";
import { navigate } from "../router.tsx";
import { useAction } from "../use-data.ts";
import type { Action } from "../use-data.ts";
import { Button, ConfirmButton, Field, fieldError } from "./form.tsx";
import { SampleResult } from "./sample-result.tsx";
import { ProblemWithRemedy, useSourceTest } from "./source-actions.tsx";
import { NameField, SettingFields } from "./source-form.tsx";
import type { Kind, Values } from "./source-form.tsx";
import { ProblemMessage } from "./ui.tsx";

const text = setupText.source;
const page = setupText.sourcePage;

/** The settings that differ from the saved ones; an empty text clears a setting. */
function changes({ settings }: Source, { fields }: Kind, values: Values): Values {
  const differing = fields.flatMap(({ name, secret }) => {
    const value = values[name];
    if (value === undefined) return [];
    if (secret) return value === "" ? [] : [[name, value] as const];
    return value === (settings[name] ?? "") ? [] : [[name, value === "" ? null : value] as const];
  });
  return Object.fromEntries(differing);
}

export function SettingsForm({
  source,
  kind,
  onSaved,
}: {
  readonly source: Source;
  readonly kind: Kind;
  readonly onSaved: () => void;
}): JSX.Element {
  const { id, secrets_set: secretsSet } = source;
  const [values, setValues] = useState<Values>(source.settings);
  const [name, setName] = useState(source.name);
  const test = useSourceTest();
  const save = useSave(async (call) => {
    await call({ id, name, settings: changes(source, kind, values) });
    // Secrets are not shown again.
    setValues(withoutSecrets(kind, values));
    onSaved();
  });
  const change = (next: Values) => {
    setValues(next);
    save.change();
    test.clear();
  };
  const apply = (found: Values) => change({ ...values, ...found });
  const problem = save.problem ?? test.problem;
  return (
    <>
      <form onSubmit={save.submit}>
        <NameField value={name} error={fieldError(problem, "/name")} onInput={setName} />
        <SettingFields {...{ kind, values, secretsSet, problem }} onChange={change} />
        <div class="buttons">
          <Button
            scope="write"
            isWorking={test.isWorking}
            onClick={() => void test.run({ id, settings: changes(source, kind, values) })}
          >
            {test.isWorking ? text.testing : text.test}
          </Button>
          <SaveButton save={save} />
        </div>
      </form>
      {problem && !test.isWorking && <ProblemWithRemedy problem={problem} onApply={apply} />}
      {test.sample && <SampleResult sample={test.sample} onApply={apply} />}
    </>
  );
}

type Save = Pick<Action<void>, "isWorking" | "problem"> & {
  readonly isSaved: boolean;
  readonly submit: (event: Event) => void;
  /** Something was entered after saving. */
  readonly change: () => void;
};

/** Saves a part of a source when its form is submitted. */
function useSave(act: (call: (body: ChangedSource) => Promise<unknown>) => Promise<unknown>): Save {
  const { call } = useThisCatalog();
  const [isSaved, setIsSaved] = useState(false);
  const { run, isWorking, problem } = useAction(async () => {
    await act(async (body) => call("/sources", { method: "PATCH", body }));
    setIsSaved(true);
  });
  return {
    isWorking,
    problem,
    isSaved,
    submit: (event) => {
      event.preventDefault();
      void run();
    },
    change: () => setIsSaved(false),
  };
}

function SaveButton({ save: { isWorking, isSaved } }: { readonly save: Save }): JSX.Element {
  return (
    <>
      <Button type="submit" scope="write" kind="primary" isWorking={isWorking}>
        {text.saveChanges}
      </Button>
      <span role="status" class="muted">
        {isSaved && text.saved}
      </span>
    </>
  );
}

const withoutSecrets = ({ fields }: Kind, values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).filter(([name]) => !fields.some((field) => field.secret && field.name === name)),
  );

const INTERVALS = [300, 900, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400, 604_800];

export function ScheduleForm({
  source: { id, interval_s: saved, max_removed_ratio: ratio },
  onSaved,
}: {
  readonly source: Source;
  readonly onSaved: () => void;
}): JSX.Element {
  const [interval, setInterval] = useState(saved);
  const [percent, setPercent] = useState(String(Math.round(ratio * 10_000) / 100));
  const save = useSave(async (call) => {
    await call({ id, interval_s: interval, max_removed_ratio: Number(percent) / 100 });
    onSaved();
  });
  const intervals = [...new Set([...INTERVALS, saved])].sort((a, b) => a - b);
  return (
    <form onSubmit={save.submit} onInput={save.change}>
      <Field label={page.interval} help={page.intervalHelp} error={fieldError(save.problem, "/interval_s")}>
        {(attributes) => (
          <select
            {...attributes}
            value={String(interval)}
            onChange={(event) => setInterval(Number(event.currentTarget.value))}
          >
            {intervals.map((seconds) => (
              <option key={seconds} value={String(seconds)}>
                {page.every(formatInterval(seconds))}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={page.ratio} help={page.ratioHelp} error={fieldError(save.problem, "/max_removed_ratio")}>
        {(attributes) => <PercentInput {...attributes} value={percent} onInput={setPercent} />}
      </Field>
      {save.problem && <ProblemMessage problem={save.problem} />}
      <div class="buttons">
        <SaveButton save={save} />
      </div>
    </form>
  );
}

function PercentInput({
  onInput,
  ...attributes
}: {
  readonly value: string;
  readonly onInput: (value: string) => void;
}): JSX.Element {
  return (
    <input
      {...attributes}
      type="number"
      min={0}
      max={100}
      step="any"
      required
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  );
}

const CHOICES = { keep: page.keepItems, remove: page.removeItems } as const;

export function RemoveSource({ source: { id } }: { readonly source: Source }): JSX.Element {
  const { fetch, href } = useThisCatalog();
  const [items, setItems] = useState<keyof typeof CHOICES>("keep");
  const remove = async () => {
    const { run_id: run } = await fetch<Wire<typeof RemovedSourceAnswer>>("/sources", {
      method: "DELETE",
      body: { id, items },
    });
    navigate(href(run === null ? "/sources" : `/runs/${run}`));
  };
  return (
    <>
      <p class="muted">{page.removeIntro}</p>
      <div>
        <ConfirmButton
          label={page.removeLabel}
          title={page.removeDialog}
          confirm={page.removeConfirm}
          act={remove}
        >
          <fieldset>
            <legend>{page.removeChoice}</legend>
            {(["keep", "remove"] as const).map((choice) => (
              <label key={choice} class="check">
                <input
                  type="radio"
                  name="items"
                  checked={items === choice}
                  onChange={() => setItems(choice)}
                />
                {CHOICES[choice]}
              </label>
            ))}
          </fieldset>
        </ConfirmButton>
      </div>
    </>
  );
}
