/** Changing a saved source: its settings with a test, its schedule, and removing it. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ChangedSource, RemovedSourceAnswer, Source } from "../../../src/contract/sources.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { SOURCE_FIELDS } from "../../../src/contract/form-fields.ts";
import { useThisCatalog } from "../catalog.ts";
import { formatInterval } from "../format.ts";
import { setupText } from "../messages/setup.ts";
import { navigate } from "../router.tsx";
import { useAction } from "../use-data.ts";
import type { PageAction } from "../use-data.ts";
import { DialogButton, SaveButton } from "./buttons.tsx";
import { DeclaredField, enteredFields } from "./declared-field.tsx";
import { Choices, SelectField } from "./fields.tsx";
import { enteredGuard, enteredText, Form, PublishBox } from "./form.tsx";
import { SampleResult } from "./sample-result.tsx";
import { Advice, TestButton, useSourceTest } from "./source-actions.tsx";
import { NameField, SettingFields } from "./source-form.tsx";
import type { SourceKindInfo, SourceFormValues } from "./source-form.tsx";

const text = setupText.source;
const page = setupText.sourcePage;

/** The settings that differ from the saved ones; an empty text clears a setting. */
function changes(
  { settings }: Source,
  { fields }: SourceKindInfo,
  values: SourceFormValues,
): SourceFormValues {
  const differing = fields.flatMap(({ name, secret }) => {
    const value = values[name];
    if (value === undefined) return [];
    if (secret) return value === "" ? [] : [[name, value] as const];
    return value === (settings[name] ?? "") ? [] : [[name, value === "" ? null : value] as const];
  });
  return Object.fromEntries(differing);
}

type SettingsProps = {
  readonly source: Source;
  readonly kind: SourceKindInfo;
  readonly onSaved: () => void;
};

export function SettingsForm({ source, kind, onSaved }: SettingsProps): JSX.Element {
  const { id, secrets_set: secretsSet } = source;
  const [values, setValues] = useState<SourceFormValues>(source.settings);
  const test = useSourceTest();
  const save = useSave(
    (entered) => ({ id, settings: changes(source, kind, values), ...entries(entered) }),
    () => {
      // Secrets are not shown again.
      setValues(withoutSecrets(kind, values));
      onSaved();
    },
  );
  const change = (next: SourceFormValues) => {
    setValues(next);
    save.change();
    test.clear();
  };
  const apply = (found: SourceFormValues) => change({ ...values, ...found });
  const problem = test.isWorking ? undefined : (save.problem ?? test.problem);
  return (
    <>
      <Form
        hasNativeChecks
        scope="write"
        problem={problem}
        advice={problem && <Advice problem={problem} onApply={apply} />}
        onInput={save.change}
        onSubmit={(entered) => void save.run(entered)}
        fields={
          <>
            <NameField defaultValue={source.name} />
            <SettingFields {...{ kind, values, secretsSet, problem }} onChange={change} />
            <PublishBox label={text.publishChange} isChecked />
          </>
        }
      >
        <div class="buttons">
          <TestButton
            test={test}
            onClick={() => void test.run({ id, settings: changes(source, kind, values) })}
          />
          <SaveButton {...save}>{text.saveChanges}</SaveButton>
        </div>
      </Form>
      {test.sample && <SampleResult sample={test.sample} onApply={apply} />}
    </>
  );
}

const entries = (entered: FormData) => ({
  name: enteredText(entered, "name"),
  guard: enteredGuard(entered),
});

type Save = Pick<PageAction<FormData>, "run" | "isWorking" | "problem"> & {
  readonly isSaved: boolean;
  /** Something was entered after saving. */
  readonly change: () => void;
};

/** Saves a part of a source when its form is submitted. */
function useSave(bodyOf: (entered: FormData) => ChangedSource, onSaved: () => void): Save {
  const { call } = useThisCatalog();
  const [isSaved, setIsSaved] = useState(false);
  const { run, isWorking, problem } = useAction(async (entered: FormData) => {
    await call("/sources", { method: "PATCH", body: bodyOf(entered) });
    setIsSaved(true);
    onSaved();
  });
  return { run, isWorking, problem, isSaved, change: () => setIsSaved(false) };
}

const withoutSecrets = ({ fields }: SourceKindInfo, values: SourceFormValues): SourceFormValues =>
  Object.fromEntries(
    Object.entries(values).filter(([name]) => !fields.some((field) => field.secret && field.name === name)),
  );

const INTERVALS = [300, 900, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400, 604_800];

export function ScheduleForm({
  source,
  onSaved,
}: {
  readonly source: Source;
  readonly onSaved: () => void;
}): JSX.Element {
  const save = useSave(
    (entered) => ({
      id: source.id,
      interval_s: Number(entered.get("interval_s")),
      ...enteredFields(entered, SOURCE_FIELDS),
    }),
    onSaved,
  );
  return (
    <Form
      hasNativeChecks
      scope="write"
      problem={save.problem}
      onInput={save.change}
      onSubmit={(entered) => void save.run(entered)}
      fields={<ScheduleFields source={source} />}
    >
      <div class="buttons">
        <SaveButton {...save}>{text.saveChanges}</SaveButton>
      </div>
    </Form>
  );
}

function ScheduleFields({
  source: { interval_s: saved, max_removed_ratio: ratio },
}: {
  readonly source: Source;
}): JSX.Element {
  const intervals = [...new Set([...INTERVALS, saved])].sort((a, b) => a - b);
  return (
    <>
      <SelectField
        label={page.interval}
        help={page.intervalHelp}
        name="interval_s"
        defaultValue={String(saved)}
        options={intervals.map((seconds) => [String(seconds), page.every(formatInterval(seconds))])}
      />
      <DeclaredField of={SOURCE_FIELDS} name="max_removed_ratio" value={ratio} />
    </>
  );
}

const CHOICES = [
  ["keep", page.keepItems],
  ["remove", page.removeItems],
] as const;

export function RemoveSource({ source: { id } }: { readonly source: Source }): JSX.Element {
  const { fetch, href } = useThisCatalog();
  const remove = async (entered: FormData) => {
    const { run_id: run } = await fetch<Wire<typeof RemovedSourceAnswer>>("/sources", {
      method: "DELETE",
      body: { id, items: entered.get("items") },
    });
    navigate(href(run === null ? "/sources" : `/runs/${run}`));
  };
  return (
    <>
      <p class="muted">{page.removeIntro}</p>
      <div class="buttons">
        <DialogButton
          label={page.removeLabel}
          title={page.removeDialog}
          confirm={page.removeConfirm}
          act={remove}
        >
          <Choices type="radio" legend={page.removeChoice} name="items" options={CHOICES} chosen={["keep"]} />
        </DialogButton>
      </div>
    </>
  );
}
