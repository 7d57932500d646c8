/** A destination as a form with a test: for a new one, and for changes. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Destination, DestinationAnswer, TriedDestination } from "../../../src/contract/destinations.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { changedSettings, draftOf, enteredOptions, enteredSettings, newDraft } from "../destination-draft.ts";
import type { DestinationDraft, DestinationKindInfo } from "../destination-draft.ts";
import { destinationForm as t } from "../messages/destination-form.ts";
import { useAction } from "../use-data.ts";
import { SaveButton } from "./buttons.tsx";
import { DestinationFields } from "./destination-fields.tsx";
import { typeOf } from "./destination-state.tsx";
import type { DestinationType } from "./destination-state.tsx";
import { TestButton, TestResult, useDestinationTest } from "./destination-test.tsx";
import type { DestinationTestAction } from "./destination-test.tsx";
import { Form } from "./form.tsx";

export function NewDestinationForm({
  type,
  kind,
  name,
  onSaved,
}: {
  readonly type: DestinationType;
  readonly kind: DestinationKindInfo;
  /** The name unless another is entered. */
  readonly name?: string | undefined;
  readonly onSaved: (destination: Destination) => void;
}): JSX.Element {
  const catalog = useThisCatalog();
  const [draft, setDraft] = useState(() => newDraft(type));
  const save = async (entered: FormData) => {
    const body = {
      kind: kind.kind,
      ...(name !== undefined && { name }),
      ...enteredOptions(entered),
      settings: enteredSettings(draft),
    };
    onSaved(await catalog.fetch<Wire<typeof DestinationAnswer>>("/destinations", { method: "POST", body }));
  };
  return (
    <TestedForm
      {...{ kind, draft, setDraft, save }}
      placeholder={name ?? draft.values["host"] ?? ""}
      saveLabel={t.save}
      tried={(key) => ({
        kind: kind.kind,
        settings: { ...enteredSettings(draft), ...(key !== undefined && { host_key: key }) },
      })}
    />
  );
}

export function EditDestinationForm({
  destination,
  kind,
  onSaved,
}: {
  readonly destination: Destination;
  readonly kind: DestinationKindInfo;
  readonly onSaved: () => void;
}): JSX.Element {
  const catalog = useThisCatalog();
  const [draft, setDraft] = useState(() => draftOf(typeOf(destination), destination));
  const { id } = destination;
  const save = async (entered: FormData) => {
    const settings = changedSettings(draft, destination);
    const body = {
      id,
      ...enteredOptions(entered),
      ...(Object.keys(settings).length > 0 && { settings }),
    };
    const saved = await catalog.fetch<Wire<typeof DestinationAnswer>>("/destinations", {
      method: "PATCH",
      body,
    });
    // Secrets are not shown again.
    setDraft(draftOf(draft.type, saved));
    onSaved();
  };
  return (
    <TestedForm
      {...{ kind, draft, setDraft, save, destination }}
      saveLabel={t.saveChanges}
      tried={(key) => ({
        id,
        settings: { ...changedSettings(draft, destination), ...(key !== undefined && { host_key: key }) },
      })}
    />
  );
}

type TestedFormProps = {
  readonly kind: DestinationKindInfo;
  readonly draft: DestinationDraft;
  readonly setDraft: (draft: DestinationDraft) => void;
  readonly destination?: Destination;
  readonly placeholder?: string;
  readonly saveLabel: string;
  readonly save: (entered: FormData) => Promise<void>;
  /** What to test; with the key that was just confirmed, if there is one. */
  readonly tried: (key?: string) => TriedDestination;
};

function TestedForm({ draft, setDraft, save, tried, ...props }: TestedFormProps): JSX.Element {
  const { kind, destination } = props;
  const test = useDestinationTest();
  const [isSaved, setIsSaved] = useState(false);
  const saving = useAction(async (entered: FormData) => {
    await save(entered);
    setIsSaved(destination !== undefined);
  });
  const problem = test.isWorking ? undefined : (saving.problem ?? test.problem);
  const change = (changes: Partial<DestinationDraft>) => {
    setDraft({ ...draft, ...changes });
    test.clear();
  };
  const confirm = async (key: string) => {
    setDraft({ ...draft, values: { ...draft.values, host_key: key } });
    await test.run(tried(key));
  };
  return (
    <>
      <Form
        class="destination-form"
        hasNativeChecks
        scope="write"
        problem={problem}
        onInput={() => setIsSaved(false)}
        onSubmit={(entered) => void saving.run(entered)}
        fields={<DestinationFields {...props} {...{ draft, problem }} onChange={change} />}
      >
        <p class="small muted">{t.hints[kind.kind]}</p>
        <FormButtons {...props} {...{ test, isSaved }} isSaving={saving.isWorking} tried={tried} />
      </Form>
      {test.result && (
        <TestResult result={test.result} confirmed={destination?.settings["host_key"]} onConfirm={confirm} />
      )}
    </>
  );
}

function FormButtons({
  destination,
  saveLabel,
  test,
  tried,
  isSaving,
  isSaved,
}: Pick<TestedFormProps, "destination" | "saveLabel" | "tried"> & {
  readonly test: DestinationTestAction;
  readonly isSaving: boolean;
  readonly isSaved: boolean;
}): JSX.Element {
  // A new one is tested first.
  const isReady = destination !== undefined || test.result?.ok === true;
  return (
    <div class="buttons">
      <TestButton test={test} isFirst={!isReady} onClick={() => void test.run(tried())} />
      <SaveButton isFirst={isReady} isWorking={isSaving} isSaved={isSaved}>
        {saveLabel}
      </SaveButton>
    </div>
  );
}
