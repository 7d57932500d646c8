/** Tests a destination, and lets a person confirm the key that its server shows. */
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type {
  DestinationTest,
  TriedDestination,
  TriedDestinationAnswer,
} from "../../../src/contract/destinations.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { formatDuration } from "../format.ts";
import { destinationForm } from "../messages/destination-form.ts";
import { destinationTexts } from "../messages/destinations.ts";
import { useAction } from "../use-data.ts";
import type { PageAction } from "../use-data.ts";
import { ActionButton, Button, DialogButton } from "./buttons.tsx";
import { Facts, Notice } from "./ui.tsx";

const t = destinationTexts.test;

export type DestinationTestAction = PageAction<TriedDestination> & {
  readonly result: DestinationTest | undefined;
};

export function useDestinationTest(): DestinationTestAction {
  const { fetch } = useThisCatalog();
  const [result, setResult] = useState<DestinationTest>();
  const action = useAction(async (body: TriedDestination) => {
    setResult(undefined);
    setResult(
      await fetch<Wire<typeof TriedDestinationAnswer>>("/destinations/test", { method: "POST", body }),
    );
  });
  const clear = () => {
    setResult(undefined);
    action.clear();
  };
  return { ...action, clear, result };
}

export function TestButton({
  test: { isWorking },
  isFirst = false,
  onClick,
}: {
  readonly test: DestinationTestAction;
  readonly isFirst?: boolean;
  readonly onClick: () => void;
}): JSX.Element {
  return (
    <Button scope="write" kind={isFirst ? "primary" : undefined} isWorking={isWorking} onClick={onClick}>
      {isWorking ? destinationForm.testing : destinationForm.test}
    </Button>
  );
}

type ResultProps = {
  readonly result: DestinationTest & {
    /** What the test has not shown. */
    readonly note?: string | null;
  };
  /** The key that was confirmed before. */
  readonly confirmed: string | null | undefined;
  readonly onConfirm: (key: string) => Promise<unknown>;
};

/** What the test found. It is announced, and shown where the user pressed the button. */
export function TestResult(props: ResultProps): JSX.Element {
  return (
    <div role="status" class="test-result">
      <Found {...props} />
    </div>
  );
}

function Found({ result, confirmed, onConfirm }: ResultProps): JSX.Element {
  const { ok, host_key: key, error, duration_ms: ms } = result;
  if (ok)
    return (
      <Notice tone="ok">
        <p>
          <strong>{key === null ? (result.note ?? t.okHttps) : t.ok}</strong>
        </p>
        <p class="small">
          {t.duration} {formatDuration(ms)}.
        </p>
      </Notice>
    );
  if (key && error?.code === "host_key_unconfirmed")
    return <ConfirmKey shown={key.value} onConfirm={onConfirm} />;
  if (key && error?.code === "host_key_changed")
    return (
      <KeyChanged confirmed={confirmed} shown={key.value}>
        <ConfirmNewKey shown={key.value} onConfirm={onConfirm} />
      </KeyChanged>
    );
  return <Failure error={error} />;
}

function Failure({ error }: Pick<DestinationTest, "error">): JSX.Element {
  const advice = error && destinationTexts.advice[error.code];
  return (
    <Notice tone="bad">
      <p>
        <strong>{t.failed}</strong> {error?.message}
      </p>
      {advice != null && <p>{advice}</p>}
      {error && (
        <p class="small">
          <code>{error.code}</code>
        </p>
      )}
    </Notice>
  );
}

type KeyProps = { readonly shown: string; readonly onConfirm: ResultProps["onConfirm"] };

function ConfirmKey({ shown, onConfirm }: KeyProps): JSX.Element {
  return (
    <div class="card host-key">
      <h3>{t.confirmTitle}</h3>
      <p>{t.confirmText}</p>
      <p>
        <code class="fingerprint">{shown}</code>
      </p>
      <p>{t.confirmHow}</p>
      <ActionButton scope="write" kind="primary" act={async () => onConfirm(shown)}>
        {t.confirm}
      </ActionButton>
    </div>
  );
}

/** Loud: someone may read what is sent. */
export function KeyChanged({
  confirmed,
  shown,
  children,
}: {
  readonly confirmed: string | null | undefined;
  readonly shown?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <div class="notice bad key-changed" role="alert">
      <h2>{t.changedTitle}</h2>
      <p>{t.changedText}</p>
      <Facts
        entries={[
          [t.before, <code>{confirmed}</code>],
          ...(shown === undefined ? [] : [[t.now, <code>{shown}</code>] as const]),
        ]}
      />
      {children}
    </div>
  );
}

function ConfirmNewKey({ shown, onConfirm }: KeyProps): JSX.Element {
  const { label, title, confirm, text } = t.confirmNew;
  return (
    <DialogButton {...{ label, title, confirm }} opener="plain" act={async () => onConfirm(shown)}>
      <p>{text}</p>
      <p>
        <code class="fingerprint">{shown}</code>
      </p>
    </DialogButton>
  );
}
