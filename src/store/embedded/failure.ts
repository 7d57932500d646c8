/** How a failure of the embedded database is told: one code, one way out that always works. */
import { AppError } from "../../errors.ts";

export function embeddedFailure(message: string, cause?: unknown): AppError {
  return new AppError(
    "embedded_database_failed",
    `${message} Or set DATABASE_URL to use a PostgreSQL of your own.`,
    {
      cause,
    },
  );
}
