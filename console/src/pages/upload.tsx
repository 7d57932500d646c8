/** Uploading a file: a preview of what would be stored, then a push, its progress and its result. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useThisCatalog } from "../catalog.ts";
import { FileDrop, useNoStrayDrops } from "../components/file-drop.tsx";
import { FileSettingFields, NO_SETTINGS } from "../components/file-settings.tsx";
import type { FileFormSettings } from "../components/file-settings.tsx";
import { Button, DialogButton } from "../components/buttons.tsx";
import { More } from "../components/more.tsx";
import { SampleResult } from "../components/sample-result.tsx";
import type { Sample } from "../components/sample-result.tsx";
import { Advice } from "../components/source-actions.tsx";
import { SyncResult } from "../components/sync-result.tsx";
import { UploadForm, useUpload } from "../components/upload-form.tsx";
import type { UploadMode } from "../components/upload-form.tsx";
import { Facts, Notice, PageHeading, ProblemMessage } from "../components/ui.tsx";
import { formatBytes } from "../format.ts";
import { setupText } from "../messages/setup.ts";
import { Link, navigate, pathWith, useLocation, withQuery } from "../router.tsx";
import { useAction } from "../use-data.ts";
import type { PageAction } from "../use-data.ts";

const text = setupText.upload;

export function UploadPage(): JSX.Element {
  const location = useLocation();
  const runId = location.query.get("run");
  const [file, setFile] = useState<File>();
  const [settings, setSettings] = useState<FileFormSettings>(NO_SETTINGS);
  const { mode, previewedMode, isPreviewed, setMode, setIsPreviewed } = useMode();
  const upload = useUpload({ file, settings, mode });
  useNoStrayDrops();
  const begin = (chosen: File | undefined) => {
    setFile(chosen);
    setSettings(NO_SETTINGS);
    setMode(undefined);
    if (runId !== null) navigate(withQuery(location, { run: "" }));
  };
  if (runId !== null)
    return (
      <UploadResult
        runId={runId}
        {...(file && { onReplaceAnyway: async () => upload.run({ guard: "publish", maxRemovedRatio: "1" }) })}
        onAgain={() => begin(undefined)}
      />
    );
  return (
    <>
      <PageHeading title={text.title} />
      <p class="muted">{text.intro}</p>
      {file ? (
        <>
          <FileName file={file} onAnother={() => begin(undefined)} />
          {file.size === 0 ? (
            <Notice tone="bad">{text.empty}</Notice>
          ) : (
            <ChosenFile
              key={`${file.name} ${file.size} ${file.lastModified}`}
              file={file}
              mode={previewedMode}
              settings={settings}
              onSettings={setSettings}
              onPreviewed={setIsPreviewed}
              form={<UploadForm {...{ mode, isPreviewed, upload }} onMode={setMode} />}
            />
          )}
        </>
      ) : (
        <FileDrop onFile={begin} />
      )}
    </>
  );
}

function FileName({
  file: { name, size },
  onAnother,
}: {
  readonly file: File;
  readonly onAnother: () => void;
}): JSX.Element {
  return (
    <div class="buttons">
      <span>{text.chosen(name, formatBytes(size))}</span>
      <Button kind="quiet" onClick={onAnother}>
        {text.another}
      </Button>
    </div>
  );
}

/** The choice until the user makes one: without a preview, a file removes no items. */
function useMode() {
  const [chosen, setMode] = useState<UploadMode>();
  const [isPreviewed, setIsPreviewed] = useState(false);
  const mode: UploadMode = chosen ?? (isPreviewed ? "replace" : "update");
  return { mode, previewedMode: chosen ?? "replace", isPreviewed, setMode, setIsPreviewed };
}

const Previewing = (): JSX.Element => (
  <p class="muted loading" role="status">
    {text.previewing}
  </p>
);

function ChosenFile({
  file,
  mode,
  settings,
  onSettings,
  onPreviewed,
  form,
}: {
  readonly file: File;
  /** What the preview is of. */
  readonly mode: UploadMode;
  readonly settings: FileFormSettings;
  readonly onSettings: (settings: FileFormSettings) => void;
  /** Whether the preview shows the first items. */
  readonly onPreviewed: (isPreviewed: boolean) => void;
  /** Uploads the file. */
  readonly form: JSX.Element;
}): JSX.Element {
  const preview = usePreview({ file, mode, settings });
  const { sample } = preview;
  useEffect(() => onPreviewed(sample !== undefined), [sample]);
  const change = (next: FileFormSettings) => {
    onSettings(next);
    preview.clear();
  };
  const apply = (found: Partial<FileFormSettings>) => change({ ...settings, ...found });
  return (
    <>
      <FileSettingFields settings={settings} onChange={change}>
        <Button isWorking={preview.isWorking} onClick={() => void preview.run()}>
          {text.preview}
        </Button>
      </FileSettingFields>
      {preview.isWorking && <Previewing />}
      {preview.problem && (
        <>
          <ProblemMessage problem={preview.problem} />
          <Advice problem={preview.problem} onApply={apply} />
          <More title={text.withoutPreview}>{form}</More>
        </>
      )}
      {sample && (
        <SampleResult sample={sample} onApply={apply}>
          {sample.format && <Facts entries={[[text.format, sample.format]]} />}
          {!isUseless(sample) && form}
        </SampleResult>
      )}
    </>
  );
}

/** No row of the whole file can be stored, or deletes an item. */
const isUseless = ({ items, effect, is_whole: isWhole }: Sample): boolean =>
  isWhole && items.length === 0 && effect.deleted.length === 0;

/** The preview reads this many bytes; one more says that the file goes on. */
const PREVIEWED_BYTES = 8_000_001;

/** The directory of a zip is at its end, so that it is sent whole. */
async function beginningOf(file: File): Promise<Blob> {
  const isZip = (await file.slice(0, 2).text()) === "PK";
  return isZip ? file : file.slice(0, PREVIEWED_BYTES);
}

type Previewed = { readonly file: File; readonly mode: UploadMode; readonly settings: FileFormSettings };
type Preview = PageAction<void> & { readonly sample: Sample | undefined };

/**
 * Runs at first, when the mode changes, and on demand. A sample stays until the next one is there: the choice of the
 * mode is made below it.
 */
function usePreview({ file, mode, settings }: Previewed): Preview {
  const { fetch } = useThisCatalog();
  const [sample, setSample] = useState<Sample>();
  const [previewed, setPreviewed] = useState<UploadMode>();
  const action = useAction(async () => {
    setPreviewed(mode);
    const path = pathWith("/catalog/preview", { ...settings, mode });
    const headers = { "content-type": "application/octet-stream" };
    const body = await beginningOf(file);
    setSample(
      await fetch<{ readonly data: Sample }>(path, { method: "POST", headers, body }).catch(
        (error: unknown) => {
          setSample(undefined);
          throw error;
        },
      ),
    );
  });
  const isDue = previewed !== mode && !action.isWorking;
  useEffect(() => {
    if (isDue) void action.run();
  }, [isDue]);
  const clear = () => {
    setSample(undefined);
    action.clear();
  };
  return { ...action, sample, clear };
}

function UploadResult({
  runId,
  onReplaceAnyway,
  onAgain,
}: {
  readonly runId: string;
  /** Undefined after a reload: the browser no longer has the file. */
  readonly onReplaceAnyway?: () => Promise<void>;
  readonly onAgain: () => void;
}): JSX.Element {
  const { href } = useThisCatalog();
  return (
    <>
      <PageHeading title={text.resultTitle}>
        <Link
          class="button"
          href={href("/upload")}
          onClick={(event) => {
            event.preventDefault();
            onAgain();
          }}
        >
          {text.again}
        </Link>
      </PageHeading>
      <SyncResult
        key={runId}
        runId={runId}
        repair={({ code }) =>
          code === "catalog_collapsed" && onReplaceAnyway ? (
            <DialogButton
              label={text.collapsedLabel}
              title={text.collapsedTitle}
              confirm={text.collapsedConfirm}
              act={onReplaceAnyway}
            >
              <p>{text.collapsed}</p>
            </DialogButton>
          ) : undefined
        }
      />
    </>
  );
}
