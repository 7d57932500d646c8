/** The installation as a whole: a restored copy is made live. */
import { Data, DateTime, integer } from "./shapes.ts";
import type { Wire } from "./shapes.ts";
import { Type } from "./type.ts";

const Resumed = Type.Object(
  {
    restored_at: DateTime,
    resumed_at: DateTime,
    waiting_deliveries: integer("Webhook deliveries that were queued since the restore; they are sent now."),
    waiting_uploads: integer("Uploads to destinations that were queued since the restore; they begin now."),
    withheld_deliveries: integer(
      "Webhook deliveries that waited when the backup was made. The original has probably sent them, so they are `dead`; POST /webhooks/deliveries/resend sends them again.",
    ),
  },
  { title: "Resumed" },
);
export type Resumed = Wire<typeof Resumed>;

export const ResumedAnswer = Data(Resumed, "The installation is live.");
