/** Alerts: what needs attention, remembered from when to when, and who is mailed about it. */
import { Type } from "./type.ts";
import { DAILY_AT } from "./destinations.ts";
import { ALERT_FIELDS, limitsOf } from "./form-fields.ts";
import { Cursor, Data, DateTime, flag, integer, Limit, NextCursor, Nullable, text, Uuid } from "./shapes.ts";
import type { Wire } from "./shapes.ts";
import { Action, AttentionCode, AttentionSeverity } from "./status.ts";

const Alert = Type.Object(
  {
    id: Uuid,
    code: AttentionCode,
    severity: AttentionSeverity,
    subject: Nullable(
      text(
        "What it is about: the id of a source, webhook or destination, a file, or a limit of the publish guard; null: the whole catalog.",
      ),
    ),
    message: text("What is wrong, with figures, as it was at the last check; a minute old at most."),
    meanwhile: text("What destinations get while it lasts."),
    advice: text("What to do."),
    action: Nullable(Action),
    since: DateTime,
    last_seen_at: { ...DateTime, description: "When it was last seen; written every ten minutes." },
    cleared_at: Nullable({
      ...DateTime,
      description: "Since when it is not seen any more. It counts as resolved if it does not come back soon.",
    }),
    resolved_at: Nullable(DateTime),
    times: integer("How often it came back within a day."),
    notified_at: Nullable({ ...DateTime, description: "When recipients were mailed about it." }),
  },
  { title: "Alert" },
);
export type Alert = Wire<typeof Alert>;

export const AlertsQuery = Type.Object(
  {
    state: Type.Optional(
      Type.Enum(["open", "resolved"], {
        default: "open",
        description: "`open`: what lasts, by consequence. `resolved`: what is over, newest first.",
      }),
    ),
    cursor: Cursor,
    limit: Limit,
  },
  { additionalProperties: false },
);
export type AlertsQuery = Wire<typeof AlertsQuery>;

export const AlertsAnswer = Data(
  Type.Object({ alerts: Type.Array(Alert), next_cursor: NextCursor }),
  "A page of alerts.",
);
export type AlertsPage = Wire<typeof AlertsAnswer>["data"];

const MAX_RECIPIENTS = 20;
/**
 * Matches an address that mail servers accept everywhere. Nothing in such an address can end a header or add a second
 * address.
 */
export const MAIL_ADDRESS =
  "^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[A-Za-z0-9](-*[A-Za-z0-9])*(\\.[A-Za-z0-9](-*[A-Za-z0-9])*)*$";
const MailAddress = Type.String({
  maxLength: 254,
  pattern: MAIL_ADDRESS,
  examples: ["feeds@shop.example"],
});

const SETTINGS = {
  recipients: Type.Array(MailAddress, {
    maxItems: MAX_RECIPIENTS,
    uniqueItems: true,
    description: "Who is mailed. Empty: nobody.",
  }),
  digest_at: Nullable(
    Type.String({
      pattern: DAILY_AT,
      description:
        "When the daily digest is sent, if something is open or happened; null: never. 07:00 unless set.",
    }),
  ),
  time_zone: Type.String({
    maxLength: 60,
    pattern: "^[A-Za-z0-9_+/-]+$",
    description: "Of `digest_at` and of times in mails, such as Europe/Berlin; UTC unless set.",
  }),
  max_feed_age_h: Nullable(
    Type.Integer({
      ...limitsOf(ALERT_FIELDS.max_feed_age_h),
      description:
        "Files that were neither rendered nor confirmed by a sync for so many hours are an alert; null: never. 168 unless set.",
    }),
  ),
  min_score_drop: Type.Integer({
    ...limitsOf(ALERT_FIELDS.min_score_drop),
    description: "A score that fell by so many points within seven days is an alert. 5 unless set.",
  }),
};

const AlertSettings = Type.Object(
  {
    ...SETTINGS,
    mail_configured: flag("Whether the installation can send mail: SMTP_URL and MAIL_FROM are set."),
    mail_failing_since: Nullable(DateTime),
    mail_error: Nullable(text("Why the newest mail could not be sent.")),
  },
  { title: "AlertSettings" },
);
export type AlertSettings = Wire<typeof AlertSettings>;

export const AlertSettingsAnswer = Data(AlertSettings, "The settings of alerts, and whether mail works.");

export const ChangeAlertSettings = Type.Partial(Type.Object(SETTINGS), {
  title: "ChangeAlertSettings",
  additionalProperties: false,
  minProperties: 1,
  description: "Only those that change.",
  examples: [{ recipients: ["feeds@shop.example"], digest_at: "08:00", time_zone: "Europe/Berlin" }],
});
export type ChangeAlertSettings = Wire<typeof ChangeAlertSettings>;

export const TestMailAnswer = Data(
  Type.Object({
    results: Type.Array(
      Type.Object({
        recipient: Type.String(),
        sent: flag("Whether the mail server accepted it."),
        error: Nullable(text("What is wrong, and what to do.")),
      }),
    ),
  }),
  "What the mail server said for each recipient.",
);
export type TestMail = Wire<typeof TestMailAnswer>["data"];
