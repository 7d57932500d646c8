/** Sends a file to the catalog: the choice between replacing and adding, and the progress of the upload. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useThisCatalog } from "../catalog.ts";
import { formatPercent } from "../format.ts";
import { setupText } from "../messages/setup.ts";
import { navigate, pathWith, useLocation, withQuery } from "../router.tsx";
import { sendFile } from "../send-file.ts";
import { useAction } from "../use-data.ts";
import type { PageAction } from "../use-data.ts";
import type { FileFormSettings } from "./file-settings.tsx";
import { Button } from "./buttons.tsx";
import { Choices } from "./fields.tsx";
import { enteredGuard, Form, PublishBox } from "./form.tsx";
import { Advice } from "./source-actions.tsx";

const text = setupText.upload;

export type UploadMode = "replace" | "update";
const METHODS = { replace: "PUT", update: "PATCH" } as const;

type Sending = { readonly guard: "publish" | "hold"; readonly maxRemovedRatio?: string };
export type UploadAction = PageAction<Sending> & { readonly part: number | undefined };

/** Sends the file; the page then follows the run that stores it. */
export function useUpload({
  file,
  settings,
  mode,
}: {
  readonly file: File | undefined;
  readonly settings: FileFormSettings;
  readonly mode: UploadMode;
}): UploadAction {
  const { slug } = useThisCatalog();
  const location = useLocation();
  const [part, setPart] = useState<number>();
  const action = useAction(async ({ guard, maxRemovedRatio }: Sending) => {
    if (!file) return;
    setPart(0);
    try {
      const path = pathWith("/catalog", { ...settings, guard, max_removed_ratio: maxRemovedRatio });
      const run = await sendFile(path, { method: METHODS[mode], catalog: slug, file, onProgress: setPart });
      navigate(withQuery(location, { run }));
    } finally {
      setPart(undefined);
    }
  });
  return { ...action, part };
}

const MODES: readonly (readonly [UploadMode, string])[] = [
  ["replace", text.replace],
  ["update", text.update],
];

export function UploadForm({
  mode,
  isPreviewed,
  upload,
  onMode,
}: {
  readonly mode: UploadMode;
  /** The user has seen what the file changes. */
  readonly isPreviewed: boolean;
  readonly upload: UploadAction;
  readonly onMode: (mode: UploadMode) => void;
}): JSX.Element {
  const { part } = upload;
  return (
    <Form
      problem={upload.problem}
      advice={upload.problem && <Advice problem={upload.problem} />}
      onSubmit={(entered) => void upload.run({ guard: enteredGuard(entered) })}
      fields={
        <>
          <Choices
            type="radio"
            legend={text.mode}
            name="mode"
            options={MODES}
            chosen={[mode]}
            onChoose={(value) => onMode(value as UploadMode)}
            note={text.sources}
          />
          <PublishBox label={text.publishUpload} isChecked={isPreviewed} />
        </>
      }
    >
      <div class="buttons">
        <Button type="submit" scope="write" kind="primary" isWorking={upload.isWorking}>
          {text.submit}
        </Button>
        {part !== undefined && (
          <p class="run-progress">
            <progress aria-label={text.progress} value={part} />
            <span class="visually-hidden" role="status">
              {text.progress}
            </span>
            <span>{text.uploading(formatPercent(part))}</span>
          </p>
        )}
      </div>
    </Form>
  );
}
