/** The texts of the pages about runs. */
import type { ListedRun } from "../../../src/contract/runs.ts";

export const runsText = {
  title: "Runs",
  intro:
    "What was read, stored and published, newest first. The newest 1,000 runs are kept. Older runs are deleted.",
  empty: "Nothing has run yet. Connect a shop or upload a file, and its first sync appears here.",
  nothingFound: "No run matches these filters.",
  showAll: "Show all runs",
  unknown: "There is no such run. The newest 1,000 runs of a catalog are kept.",
  filters: {
    kind: "Kind",
    kinds: {
      "": "Syncs, pushes and uploads",
      render: "Renders",
      removal: "Removals",
      audit: "Audits",
      rules: "Rules and approvals",
      proposals: "Searches for proposals",
      plan: "Dry runs of rules",
      sync_plan: "Dry runs of syncs",
      all: "All kinds",
    },
    status: "Status",
    anyStatus: "Any status",
    source: "Source",
    anySource: "Any source",
    pushes: "Pushes and uploads",
  },
  kind: {
    sync: (source: string) => `Sync of ${source}`,
    unnamedSync: "Sync",
    push: "Push or upload",
    render: "Render",
    audit: "Audit",
    removal: "Removal of items",
    rules: "Rules and approved values",
    proposals: "Search for proposals",
    plan: "Dry run",
    sync_plan: "Dry run of a sync",
  },
  removedSource: "a removed source",
  cause: {
    schedule: "on schedule",
    request: "on request",
    push: "pushed",
    command: "by a command",
    sync: "after a sync",
    render: "after a render",
    stale: "because a sale or an offer began or ended",
    removal: "after a removal",
    settings: "after a change of settings",
    webhook: "after a change in the shop",
    rules: "after a change of rules or categories",
    approval: "after a decision about proposals",
    rollback: "by a rollback",
    release: "after the end of a rollback",
  } satisfies Record<ListedRun["cause"], string>,
  afterPush: "after a push or an upload",
  today: "Today",
  yesterday: "Yesterday",
  counts: {
    seen: "Seen",
    upserted: "Stored",
    unchanged: "Unchanged",
    rejected: "Rejected",
    removed: "Removed",
    items: "Items",
  },
  ledger: {
    title: "Ledger",
    seen: "Seen in the source",
    upserted: "Stored: new or changed",
    unchanged: "Unchanged",
    rejected: "Rejected",
    others: (removed: string, warnings: string) =>
      `Removed because the source no longer has them: ${removed}. Warnings: ${warnings}.`,
    notStored: "Not stored",
    partial: "The run failed. These are the rows that it had read; nothing of it was stored.",
  },
  facts: {
    title: "Details",
    source: "Source",
    push: "A push or an upload",
    cause: "Started",
    queued: "Queued",
    ended: "Ended",
    duration: "Duration",
    id: "Run id",
    copyId: "Copy id",
    causedBy: "Caused by",
    causeRun: "the run before it",
  },
  cancel: {
    label: "Cancel",
    title: "Cancel this run?",
    text: "The catalog and the feeds stay as they are.",
    nextSync: "The source is synced again when it is due.",
    confirm: "Cancel the run",
    dismiss: "Keep it running",
  },
  failure: {
    title: "The run failed.",
    canceled: "The run was canceled.",
    unchanged: {
      sync: "The catalog and the feeds are as they were before.",
      render: "The previous files are still served.",
      audit: null,
      removal: null,
      rules: "The feeds are as they were before.",
      proposals: "Proposals that were found before are still there.",
      plan: "A dry run changes nothing.",
      sync_plan: "A dry run changes nothing. The sync itself would fail in the same way.",
    } satisfies Record<ListedRun["kind"], string | null>,
    todo: "What to do:",
    editSource: "Check the settings of the source",
    upload: "Upload another file",
  },
  issues: {
    title: "Rejections and warnings",
    none: "Nothing was rejected, and there are no warnings.",
    byCode: "By code",
    code: "Code",
    kind: "Kind",
    count: "How often",
    example: "For example",
    list: "Messages",
    table: "Rejections and warnings with their messages",
    item: "Item",
    position: "Row",
    field: "Field",
    message: "Message",
    kinds: { rejection: "Rejected", warning: "Warning" },
    search: "Search item, field or message",
    anyKind: "Rejections and warnings",
    rejections: "Rejections",
    warnings: "Warnings",
    anyCode: "Any code",
    nothingFound: "No message matches these filters.",
    clear: "Clear the filters",
    kept: (raised: string, stored: string) =>
      `The run counted ${raised}. It keeps ${stored} of them with their message: the first of each code.`,
    rowsHelp: "Rows are counted from 1, without the header: row 60 of a table is in line 61 of its file.",
    wholeSource: "the whole source",
  },
  render: {
    title: "The render after it",
    files: "Files",
    table: "Files of the render",
    file: "File",
    written: "Items",
    refused: "Refused or left out",
    size: "Size",
    changed: "Changed",
    yes: "Yes",
    no: "No",
    published: "The feed URLs serve these files now.",
    notPublished: "A newer render is published.",
    reasons: "Why items will be refused or are left out",
    reasonTable: "Reasons by file",
    reason: "Reason",
    whatToDo: "What to do",
    held: "The render is held.",
    open: "Open the render",
    decide: "Look at the held render and decide",
    why: "Why items will be refused or are left out",
    feeds: "Open the feeds",
  },
} as const;

/** What to do about a failed run, by its code. Codes that are not here have a message that says it. */
export const remedies: Readonly<Record<string, string>> = {
  source_unauthorized:
    "Create a new key or password in the shop, enter it in the settings of the source, press Test, then Save.",
  source_not_found:
    "Open the address in your browser: if it does not work there either, look up the right one in your shop and correct it in the settings of the source.",
  source_unavailable:
    "This usually passes: the next sync tries again. If it stays, send this message to those who run the shop's server.",
  source_unreachable: "Check that the address is spelled correctly and that the shop is online.",
  source_timeout:
    "The next sync tries again. If it stays, the export may be too slow: ask your shop for a file that is written ahead of time.",
  source_too_large:
    "Export fewer columns or split the export into several feeds, each with a source of its own.",
  source_incomplete:
    "The answer ended too early, so it was not used: otherwise items would have been removed by mistake. The next sync tries again.",
  source_not_a_feed:
    "The address has no product feed but something else, often a login page or a web page. Open the address in a private window of your browser: it must show the file itself.",
  source_malformed:
    "Export the file again; if you edited it by hand, look at the place that the message names.",
  source_all_rejected:
    "The rejections say why each row was rejected; most often a column has an unusual name. Press Test on the page of the source: it suggests how to name the columns.",
  source_settings_invalid: "Correct the setting in the settings of the source.",
  target_forbidden:
    "This address is in a private network, which is not allowed by default. Use a public address, or ask the operator of this installation to allow it (ALLOW_PRIVATE_TARGETS).",
  catalog_collapsed:
    "So many items would have been removed that this looks like a broken export. Check the source first. If the removal is right, sync now and accept it.",
  ledger_mismatch:
    "The numbers did not add up, so nothing was stored. Please report this as a bug, with the run id.",
  interrupted:
    "The program was stopped in the middle of the run. Sync again. If it happens each time, the log of the program says why.",
  canceled: "It was canceled on purpose. Sync again whenever you like.",
  worker_unavailable:
    "No worker is running or free. Ask the operator of this installation to check that the program runs completely.",
  run_timeout: "Sync again at a time when the shop is less busy.",
  render_failed: "The feeds could not be written. The next render tries again.",
  body_malformed:
    "Open the file in the program that made it and export it again as CSV (UTF-8), TSV, XML or JSON.",
  body_incomplete: "Upload the file again.",
  body_too_large: "Compress the file, or split it.",
  disk_full: "Ask the operator of this installation to free some disk space; the work is retried.",
  database_unavailable: "Ask the operator of this installation to check the database.",
  internal:
    "This is a fault of the program. Sync again; if it stays, report it with the run id. The log of the program has the details.",
};

/** The same for pushes and uploads, where they differ. */
export const pushRemedies: Readonly<Record<string, string>> = {
  source_all_rejected:
    "Correct the file, or say how to read it if a column has an unusual name, and upload it again. The items that were uploaded before are unchanged.",
  catalog_collapsed:
    "The file has far fewer items than were uploaded before, which looks like a broken export. Check the file. If it is complete, upload it again and confirm that the others are to be removed.",
  source_settings_invalid: "Correct the settings that say how to read the file, and upload it again.",
  interrupted: "The program was stopped in the middle of the run. Upload the file again.",
  canceled: "It was canceled on purpose. Upload the file again whenever you like.",
  internal:
    "This is a fault of the program. Upload the file again; if it stays, report it with the run id. The log of the program has the details.",
};
