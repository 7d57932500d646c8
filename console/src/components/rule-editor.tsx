/** The list of rules as it is edited: more of them, what they would do, and saving them as a version. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { RuleFormAnswer, RulesAnswer } from "../../../src/contract/rule-sets.ts";
import type { ReadyMadeRule, Rule } from "../../../src/contract/rules.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { Problem } from "../api.ts";
import { rulesText as t } from "../messages/rules.ts";
import { draftOf, freeName, rulesOf, withoutExamples } from "../rule-draft.ts";
import type { RuleSetDraft } from "../rule-draft.ts";
import { useLeaveQuestion } from "../router.tsx";
import { useAction, useData } from "../use-data.ts";
import { useEditedRules, useTrial } from "../use-rule-draft.ts";
import type { StoredRules, Trial } from "../use-rule-draft.ts";
import { useRuleTitles } from "../use-rule-titles.ts";
import { AddRule } from "./add-rule.tsx";
import { Button, DialogButton } from "./buttons.tsx";
import { TextField } from "./fields.tsx";
import { enteredText, Form } from "./form.tsx";
import { PlanResult } from "./plan-result.tsx";
import { RuleList } from "./rule-list.tsx";
import { Await, Empty, Section } from "./ui.tsx";

type Parts = Wire<typeof RuleFormAnswer>["data"];

type EditorProps = {
  readonly stored: StoredRules;
  readonly parts: Parts;
  readonly onSave: (rules: readonly Rule[], version: number, note: string) => Promise<void>;
  readonly onReload: () => void;
};

export function RuleEditor({ stored, parts, onSave, onReload }: EditorProps): JSX.Element {
  const { draft, isChanged, open, setOpen, change, discard } = useEditedRules(stored);
  useLeaveQuestion(isChanged ? t.leave : null);
  const [conflict, setConflict] = useState<string>();
  const trial = useTrial(draft, setOpen);
  const add = (readyMade: ReadyMadeRule) => {
    const { rule, examples } = withoutExamples(readyMade);
    const one = draftOf({ ...rule, name: freeName(rule.name, rulesOf(draft)) }, examples);
    change([...draft, one]);
    setOpen(one.key);
  };
  const edit = (next: RuleSetDraft) => {
    trial.clear();
    change(next);
  };
  const save = async (note: string, version = stored.version) => {
    const isStored = await isSaved(onSave(rulesOf(draft), version, note));
    setConflict(isStored ? undefined : note);
    if (isStored) trial.clear();
  };
  const takeTheirs = () => {
    setConflict(undefined);
    discard();
    onReload();
  };
  return (
    <>
      {draft.length === 0 && <NoRules />}
      <Form
        class="wide"
        fields={<RuleList {...{ draft, open }} fields={parts.fields} onOpen={setOpen} onChange={edit} />}
        problem={trial.problem}
        onSubmit={() => void trial.run()}
      >
        {draft.length > 1 && <p class="small muted key-hints">{t.moveKeys}</p>}
      </Form>
      <AddRule readyMade={parts.ready_made} isFirst={draft.length === 0} onAdd={add} />
      {conflict !== undefined && (
        <Conflict onMine={async (version) => save(conflict, version)} onTheirs={takeTheirs} />
      )}
      {isChanged && <SaveBar trial={trial} onSave={save} onDiscard={discard} />}
      <Result of={trial} />
    </>
  );
}

/** False if someone else has saved meanwhile. */
async function isSaved(saving: Promise<void>): Promise<boolean> {
  try {
    await saving;
    return true;
  } catch (error) {
    if (error instanceof Problem && error.status === 409) return false;
    throw error;
  }
}

const NoRules = (): JSX.Element => (
  <Empty>
    <h2>{t.empty.title}</h2>
    <p>{t.empty.text}</p>
  </Empty>
);

function Result({ of: { plan } }: { readonly of: Trial }): JSX.Element {
  const titles = useRuleTitles();
  return (
    <div role="status" class={plan ? "" : "visually-hidden"}>
      {plan && (
        <Section title={t.result}>
          <PlanResult plan={plan} titles={titles} />
        </Section>
      )}
    </div>
  );
}

function SaveBar({
  trial,
  onSave,
  onDiscard,
}: {
  readonly trial: Trial;
  readonly onSave: (note: string) => Promise<void>;
  readonly onDiscard: () => void;
}): JSX.Element {
  return (
    <div class="decision-bar">
      <p role="status">{trial.isWorking ? t.trying : t.unsaved}</p>
      <div class="buttons">
        <Button scope="write" isWorking={trial.isWorking} onClick={() => void trial.run()}>
          {t.try}
        </Button>
        <DialogButton
          label={t.save}
          title={t.saveTitle}
          confirm={t.save}
          kind="primary"
          opener="primary"
          act={async (entered) => onSave(enteredText(entered, "note"))}
        >
          <p>{t.saveText}</p>
          <TextField name="note" label={t.note} help={t.noteHelp} isOptional maxLength={1_000} />
        </DialogButton>
        <Button kind="quiet" onClick={onDiscard}>
          {t.discard}
        </Button>
      </div>
    </div>
  );
}

/** Someone else has saved meanwhile: both choices. */
function Conflict({
  onMine,
  onTheirs,
}: {
  readonly onMine: (version: number) => Promise<void>;
  readonly onTheirs: () => void;
}): JSX.Element {
  const theirs = useData<Wire<typeof RulesAnswer>>("/rules");
  const { run, isWorking } = useAction(onMine);
  const notice = useRef<HTMLDivElement>(null);
  // The bar with the buttons would hide it.
  useEffect(() => notice.current?.scrollIntoView({ block: "center" }), [theirs.data]);
  return (
    <Await loaded={theirs}>
      {({ version, note }) => (
        <div class="notice attention" role="alert" ref={notice}>
          <p>
            <b>{t.conflict.title(version)}</b>{" "}
            {note !== null && (
              <>
                {t.conflict.note} “{note}”.{" "}
              </>
            )}
            {t.conflict.text}
          </p>
          <div class="buttons">
            <Button scope="write" isWorking={isWorking} onClick={() => void run(version)}>
              {t.conflict.mine}
            </Button>
            <Button onClick={onTheirs}>{t.conflict.theirs}</Button>
          </div>
        </div>
      )}
    </Await>
  );
}
